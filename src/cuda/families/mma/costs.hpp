// What the kernels of each arithmetic take, for the plan (plan/batch_tiles.hpp): fitted to 100
// random batches in each tile on an H100, half of them at odd sizes; f64, f32 and tf32 to 60 each
// on an H200.
#pragma once

#include "plan/batch_tiles.hpp"

namespace carat::cuda::mma {

inline constexpr plan::batch_costs half_costs = {.element_bytes = 2,
                                                 .block_k = 32,
                                                 .launch_s = 2.3e-6,
                                                 .cta_s = 1e-6,
                                                 .place_s = 4.8e-11,
                                                 .step_s = 0.5e-6,
                                                 .singly_step_s = 1e-6,
                                                 .flop_per_s = 2.4e12,
                                                 .copies_per_s = 1.85e10,
                                                 .single_copy = 1.55,
                                                 .stored_per_s = 39e9,
                                                 .stored_singly_per_s = 10e9,
                                                 .memory_share = 0.6256,
                                                 .seen_share = 0};
inline constexpr plan::batch_costs f64_costs = {.element_bytes = 8,
                                                .block_k = 16,
                                                .launch_s = 1.59e-6,
                                                .cta_s = 1.31e-7,
                                                .place_s = 5.01e-10,
                                                .step_s = 6.49e-7,
                                                .singly_step_s = 8.06e-7,
                                                .flop_per_s = 6.09e11,
                                                .copies_per_s = 1.78e10,
                                                .single_copy = 2.42,
                                                .stored_per_s = 9.52e10,
                                                .stored_singly_per_s = 1.06e11,
                                                .memory_share = 0.718,
                                                .seen_share = 0.35};
inline constexpr plan::batch_costs f32_costs = {.element_bytes = 4,
                                                .block_k = 16,
                                                .launch_s = 2.81e-6,
                                                .cta_s = 1.99e-7,
                                                .place_s = 8.65e-11,
                                                .step_s = 7.27e-7,
                                                .singly_step_s = 8.53e-7,
                                                .flop_per_s = 3.05e11,
                                                .copies_per_s = 3.26e10,
                                                .single_copy = 2.55,
                                                .stored_per_s = 5.04e10,
                                                .stored_singly_per_s = 5.9e10,
                                                .memory_share = 0.503,
                                                .seen_share = 0.35};
inline constexpr plan::batch_costs tf32_costs = {.element_bytes = 4,
                                                 .block_k = 32,
                                                 .launch_s = 1.49e-6,
                                                 .cta_s = 6.89e-7,
                                                 .place_s = 2e-10,
                                                 .step_s = 4.58e-7,
                                                 .singly_step_s = 9.64e-7,
                                                 .flop_per_s = 1.63e12,
                                                 .copies_per_s = 1.41e10,
                                                 .single_copy = 1.23,
                                                 .stored_per_s = 2e11,
                                                 .stored_singly_per_s = 4.57e10,
                                                 .memory_share = 0.735,
                                                 .seen_share = 0.35};

}  // namespace carat::cuda::mma
