// What the large tiles of src/cuda/families/mma (multistage.cuh) take for a product or a batch,
// each with its K in one part or shared by several CTAs. Pure.
#pragma once

#include <cstdint>

#include <carat/types.hpp>

#include "core/gpu_call.hpp"
#include "plan/batch_tiles.hpp"
#include "plan/gpu_costs.hpp"
#include "plan/tiles.hpp"

namespace carat::plan {

/// The model of one arithmetic.
struct large_model {
    const large_costs& costs;
    double flop_per_s;  // of an SM
    int element_bytes;
    int sum_bytes;
    int block_k;
};

[[nodiscard]] large_model large_model_of(dtype type, core::gpu_arithmetic how,
                                         const gpu_costs& costs);

/// `of` is as the kernel computes it, swapped where that swaps A and B; how its elements are copied
/// does not count.
[[nodiscard]] launch_work work_of(const batch_tile& tile, int splits, const batch_request& of,
                                  const large_model& model);

[[nodiscard]] double seconds_of(const batch_tile& tile, int splits, const batch_request& of,
                                const large_model& model);

}  // namespace carat::plan
