// What the kernels of each arithmetic take, for the plan (plan/batch_tiles.hpp): fitted to 100
// random batches in each tile on an H100, half of them at odd sizes.
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
                                                .launch_s = 1.47e-6,
                                                .cta_s = 0.24e-6,
                                                .place_s = 3.35e-10,
                                                .step_s = 0.614e-6,
                                                .singly_step_s = 0.614e-6,
                                                .flop_per_s = 0.462e12,
                                                .copies_per_s = 2.79e10,
                                                .single_copy = 2.27,
                                                .stored_per_s = 65e9,
                                                .stored_singly_per_s = 55e9,
                                                .memory_share = 0.8,
                                                .seen_share = 0.29};
inline constexpr plan::batch_costs f32_costs = {.element_bytes = 4,
                                                .block_k = 16,
                                                .launch_s = 2.75e-6,
                                                .cta_s = 0.15e-6,
                                                .place_s = 0.92e-10,
                                                .step_s = 0.306e-6,
                                                .singly_step_s = 0.306e-6,
                                                .flop_per_s = 0.364e12,
                                                .copies_per_s = 0.954e10,
                                                .single_copy = 0.822,
                                                .stored_per_s = 264e9,
                                                .stored_singly_per_s = 26.6e9,
                                                .memory_share = 0.7,
                                                .seen_share = 0.23};
inline constexpr plan::batch_costs tf32_costs = {.element_bytes = 4,
                                                 .block_k = 32,
                                                 .launch_s = 1.23e-6,
                                                 .cta_s = 0.32e-6,
                                                 .place_s = 1.35e-10,
                                                 .step_s = 1.01e-6,
                                                 .singly_step_s = 1.01e-6,
                                                 .flop_per_s = 1.13e12,
                                                 .copies_per_s = 1.64e10,
                                                 .single_copy = 1.6,
                                                 .stored_per_s = 57e9,
                                                 .stored_singly_per_s = 22.6e9,
                                                 .memory_share = 0.77,
                                                 .seen_share = 0.25};

}  // namespace carat::cuda::sm80
