// What a plan of each family has to do, for the time of its launch.
#pragma once

#include "benchmarks/fit/costs.hpp"
#include "plan/batch_tiles.hpp"
#include "plan/fma_plan.hpp"
#include "plan/gemm_candidates.hpp"

namespace carat::fit {

/// What is copied before a product, in bytes read and written.
struct packed_first {
    double lines = 0;    // copied as they are
    double columns = 0;  // that become lines, or lines that become columns
};

/// Products of wgmma's kernels.
struct wgmma_problem {
    plan::gemm_request of;
    bool one_a = false;  // A is one matrix for all products of a batch
    bool one_b = false;
    packed_first packing;
};

/// Products of mma's kernels, which read operands where they lie.
struct mma_problem {
    plan::batch_request of;
    bool adds_e = false;
    int element_bytes = 0;
    int block_k = 0;
};

/// Products of kernels of FFMA or DMMA.
struct fma_problem {
    plan::fma_request of;  // but for its bytes of packing
    bool adds_e = false;
    bool one_a = false;
    bool one_b = false;
    packed_first packing;      // before, whatever the tile
    double along_k_bytes = 0;  // besides, for a tile that doesn't read along K
};

/// CTAs that the GPU runs at a time with one on each SM.
[[nodiscard]] int ctas_at_a_time(int cluster, int sms);

/// Stages of a pipeline that fit into a CTA's part of an SM's shared memory.
[[nodiscard]] int stages_that_fit(const core::kernel_desc& k, int split_k, int ctas_per_sm);

/// Packing included.
[[nodiscard]] launch_work work_of(const plan::gemm_plan& plan, const wgmma_problem& p,
                                  const gpu_costs& costs);
[[nodiscard]] launch_work work_of(const plan::batch_tile& tile, const mma_problem& p,
                                  const mma_costs& costs);
[[nodiscard]] launch_work work_of(const plan::fma_tile& tile, const plan::fma_cut& cut,
                                  const fma_problem& p, const gpu_costs& costs);

/// Those of a type.
[[nodiscard]] const fma_costs& fma_costs_of(dtype type, const gpu_costs& costs);

}  // namespace carat::fit
