// What the kernels of each arithmetic take, for the plan (plan/batch_tiles.hpp): fitted to 100
// random batches in each tile on an H100, half of them at odd sizes; f64, f32 and tf32 to 60 each
// on an H200.
#pragma once

#include "plan/batch_tiles.hpp"

namespace carat::cuda::sm80 {

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
                                                .launch_s = 1.03e-6,
                                                .cta_s = 1.99e-7,
                                                .place_s = 3.85e-10,
                                                .step_s = 8.55e-7,
                                                .singly_step_s = 8.55e-7,
                                                .flop_per_s = 5.25e11,
                                                .copies_per_s = 1.52e10,
                                                .single_copy = 2.23,
                                                .stored_per_s = 1.38e11,
                                                .stored_singly_per_s = 4.6e10,
                                                .memory_share = 0.83,
                                                .seen_share = 0.304};
inline constexpr plan::batch_costs f32_costs = {.element_bytes = 4,
                                                .block_k = 16,
                                                .launch_s = 2.22e-6,
                                                .cta_s = 2.81e-7,
                                                .place_s = 7.27e-11,
                                                .step_s = 7.09e-7,
                                                .singly_step_s = 7.09e-7,
                                                .flop_per_s = 2.43e11,
                                                .copies_per_s = 2.65e10,
                                                .single_copy = 3.24,
                                                .stored_per_s = 9.84e10,
                                                .stored_singly_per_s = 3.63e10,
                                                .memory_share = 0.46,
                                                .seen_share = 0.242};
inline constexpr plan::batch_costs tf32_costs = {.element_bytes = 4,
                                                 .block_k = 32,
                                                 .launch_s = 1.48e-6,
                                                 .cta_s = 4.77e-7,
                                                 .place_s = 1.55e-10,
                                                 .step_s = 1.02e-6,
                                                 .singly_step_s = 1.02e-6,
                                                 .flop_per_s = 9.08e11,
                                                 .copies_per_s = 1.8e10,
                                                 .single_copy = 1.95,
                                                 .stored_per_s = 1.71e11,
                                                 .stored_singly_per_s = 3.67e10,
                                                 .memory_share = 0.84,
                                                 .seen_share = 0.304};

}  // namespace carat::cuda::sm80
