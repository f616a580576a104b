// A corpus as carat_fit_measure printed it: products, and what each plan of them took.
#pragma once

#include <string>
#include <vector>

#include "plan/batch_tiles.hpp"
#include "plan/gemm_candidates.hpp"
#include "plan/simt_plan.hpp"

namespace carat::fit {

enum class family : int { chosen = -1, wgmma = 0, mma = 1, fma = 2 };

// One plan of a product, and the microseconds that it took.
struct measured_plan {
    family of;
    double us;
    bool in_turns;  // measured several times in turn with the fastest others
    plan::gemm_plan wgmma;
    std::size_t row = 0;  // of mma's or fma's table
    plan::simt_cut cut;
};

struct measured_product {
    std::string kind;
    double flop;
    bool is_batch;
    double chosen_us;  // by the planner of the program that measured
    plan::gemm_request wgmma;
    plan::batch_request mma;
    plan::simt_request fma;
    const plan::mma_costs plan::gpu_costs::*mma_costs = nullptr;  // those of its arithmetic
    std::span<const plan::batch_tile> mma_tiles;
    int element_bytes = 0;
    int mma_block_k = 0;
    std::vector<measured_plan> plans;
};

/// Lines that aren't whole are left out. @throws std::runtime_error for a file that can't be read.
[[nodiscard]] std::vector<measured_product> read_corpus(const std::vector<std::string>& files);

/// Packing included.
[[nodiscard]] double predicted_s(const measured_plan& plan, const measured_product& product,
                                 const plan::gpu_costs& costs);

}  // namespace carat::fit
