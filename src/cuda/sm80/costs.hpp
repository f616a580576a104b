// What the kernels of each arithmetic take, for the plan (plan/batch_tiles.hpp): fitted to 100 random
// batches in each tile on an H100, half of them at odd sizes.
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
                                                 .bytes_per_s = 1.93e12};
inline constexpr plan::batch_costs f64_costs = {.element_bytes = 8,
                                                .block_k = 16,
                                                .launch_s = 2.3e-6,
                                                .cta_s = 1e-6,
                                                .place_s = 9e-11,
                                                .step_s = 0.5e-6,
                                                .singly_step_s = 0.5e-6,
                                                .flop_per_s = 0.4e12,
                                                .copies_per_s = 1.85e10,
                                                .single_copy = 1.4,
                                                .stored_per_s = 39e9,
                                                .stored_singly_per_s = 20e9,
                                                .bytes_per_s = 1.93e12};
inline constexpr plan::batch_costs f32_costs = {.element_bytes = 4,
                                                .block_k = 16,
                                                .launch_s = 2.3e-6,
                                                .cta_s = 1e-6,
                                                .place_s = 4.8e-11,
                                                .step_s = 0.5e-6,
                                                .singly_step_s = 0.5e-6,
                                                .flop_per_s = 0.3e12,
                                                .copies_per_s = 1.85e10,
                                                .single_copy = 1.4,
                                                .stored_per_s = 39e9,
                                                .stored_singly_per_s = 20e9,
                                                .bytes_per_s = 1.93e12};
inline constexpr plan::batch_costs tf32_costs = {.element_bytes = 4,
                                                 .block_k = 32,
                                                 .launch_s = 2.3e-6,
                                                 .cta_s = 1e-6,
                                                 .place_s = 4.8e-11,
                                                 .step_s = 0.5e-6,
                                                 .singly_step_s = 0.5e-6,
                                                 .flop_per_s = 1.2e12,
                                                 .copies_per_s = 1.85e10,
                                                 .single_copy = 1.4,
                                                 .stored_per_s = 39e9,
                                                 .stored_singly_per_s = 20e9,
                                                 .bytes_per_s = 1.93e12};

}  // namespace carat::cuda::sm80
