// Made of costs/h200.json by scripts/costs_header.py: change that file instead.
#pragma once

#include "plan/gpu_costs.hpp"

namespace carat::plan {

// NVIDIA H200.
// clang-format off
inline constexpr gpu_costs costs_of_h200 = {
    .memory_bytes_per_s = 4.616e+12,
    .host_s = 2.8e-06,
    .wgmma = {
        .launch_s = 1e-07, .fill_s = 1.492e-06, .column_s = 1.4e-09, .promoted_factor = 2.095,
        .latency_s = 1.031e-06, .missing_s = 1e-08, .packed_factor = 1.952,
        .least_step_s = 1.617e-07, .off_sectors_factor = 1.662, .arriving_bytes_per_s = 3.647e+11,
        .stored_bytes_per_s = 2.671e+10, .halves_factor = 2.381, .stored_odd_factor = 2.467,
        .added_s = 4.2e-07, .added_bytes_per_s = 2.2e+10, .sharing_s = 1e-08,
        .across_odd_factor = 1.622, .sent_bytes_per_s = 1.307e+10,
        .sharing = {
            .l2_bytes_per_s = 1.097e+13, .l2_bytes = 1.372e+07, .memory_bytes_per_s = 5e+12,
            .busy_share = 0.01, .crowded_s = 6.951e-07, .seen_share = 1.244,
            .alone_factor = 0.8954}},
    .persistent = {
        .launch_s = 3.844e-07, .fill_s = 1.588e-06, .column_s = 1.996e-09,
        .promoted_factor = 1.511, .latency_s = 3.437e-07, .missing_s = 1.375e-07,
        .packed_factor = 1.707, .least_step_s = 5.428e-08, .off_sectors_factor = 1.248,
        .arriving_bytes_per_s = 1.626e+11, .stored_bytes_per_s = 4.579e+10,
        .halves_factor = 1.405, .stored_odd_factor = 2.338, .added_s = 5.082e-07,
        .added_bytes_per_s = 4.936e+10, .sharing_s = 1.363e-08, .pingpong_factor = 2.069,
        .threads_bytes_per_s = 6.278e+09, .stream_k_s = 5.636e-06,
        .feeding = {
            .l2_bytes_per_s = 2e+13, .l2_bytes = 2.754e+06, .memory_bytes_per_s = 5e+12,
            .busy_share = 0.01, .crowded_s = 3.025e-08}},
    .packing = {
        .launch_s = 2.748e-06, .transposing_launch_s = 3.983e-06, .bytes_per_s = 1.266e+13,
        .transposed_bytes_per_s = 7.293e+12, .memory_bytes_per_s = 5e+12, .l2_bytes = 1.345e+07},
    .mma_half = {
        .launch_s = 5.807e-07, .fill_s = 2.277e-06, .flop_per_s = 2.542e+12, .small_tile = 0.2055,
        .copied_bytes_per_s = 3.333e+10, .eight_bytes_factor = 1.291, .single_factor = 2.682,
        .step_s = 2.84e-07, .stored_bytes_per_s = 3.78e+10, .stored_odd_factor = 2.896,
        .added_factor = 6.023,
        .sharing = {
            .l2_bytes_per_s = 2e+13, .l2_bytes = 500000, .memory_bytes_per_s = 4.831e+12,
            .busy_share = 0.01, .crowded_s = 1e-08, .seen_share = 0.4606, .alone_factor = 0.8795}},
    .mma_lean = {
        .launch_s = 8.753e-07, .fill_s = 2.504e-07, .flop_per_s = 5.636e+12, .small_tile = 0.5662,
        .copied_bytes_per_s = 3.99e+10, .eight_bytes_factor = 1.291, .single_factor = 2.682,
        .step_s = 1.752e-08, .stored_bytes_per_s = 3.296e+10, .stored_odd_factor = 12,
        .added_factor = 6.023,
        .sharing = {
            .l2_bytes_per_s = 1.38e+13, .l2_bytes = 1.313e+06, .memory_bytes_per_s = 5e+12,
            .busy_share = 0.2725, .crowded_s = 4.11e-08, .seen_share = 0.9977, .alone_factor = 0.3}},
    .mma_f64 = {
        .launch_s = 1.459e-06, .fill_s = 9.652e-07, .flop_per_s = 3.815e+11, .small_tile = 3.237,
        .copied_bytes_per_s = 5.203e+11, .eight_bytes_factor = 11.54, .single_factor = 4,
        .step_s = 2.589e-07, .stored_bytes_per_s = 2.07e+10, .stored_odd_factor = 1.021,
        .added_factor = 4.99,
        .sharing = {
            .l2_bytes_per_s = 2e+13, .l2_bytes = 879300, .memory_bytes_per_s = 4.318e+12,
            .busy_share = 0.01, .crowded_s = 8.91e-07, .seen_share = 1.076, .alone_factor = 0.3}},
    .mma_tf32 = {
        .launch_s = 4.853e-07, .fill_s = 1.815e-06, .flop_per_s = 1.686e+12, .small_tile = 54.48,
        .copied_bytes_per_s = 7.299e+11, .eight_bytes_factor = 1.4, .single_factor = 12,
        .step_s = 1.334e-07, .stored_bytes_per_s = 1.652e+10, .stored_odd_factor = 2.719,
        .added_factor = 5.301,
        .sharing = {
            .l2_bytes_per_s = 1.064e+13, .l2_bytes = 530300, .memory_bytes_per_s = 5e+12,
            .busy_share = 0.01, .crowded_s = 4.664e-07, .seen_share = 0.7584,
            .alone_factor = 1.023}},
    .mma_f32 = {
        .launch_s = 1.688e-06, .fill_s = 7.17e-07, .flop_per_s = 4.197e+11, .small_tile = 19.72,
        .copied_bytes_per_s = 6.275e+11, .eight_bytes_factor = 1.4, .single_factor = 11.83,
        .step_s = 2.664e-07, .stored_bytes_per_s = 1.813e+10, .stored_odd_factor = 1.208,
        .added_factor = 3.175,
        .sharing = {
            .l2_bytes_per_s = 1.871e+13, .l2_bytes = 500000, .memory_bytes_per_s = 5e+12,
            .busy_share = 0.01, .crowded_s = 1.997e-08, .seen_share = 1.447, .alone_factor = 0.3}},
    .mma_large = {
        .launch_s = 1.249e-06, .fill_s = 2.372e-06, .half_flop_per_s = 3.912e+12,
        .tf32_flop_per_s = 2.293e+12, .three_tf32_flop_per_s = 2.708e+11,
        .f32_flop_per_s = 4.726e+11, .f64_flop_per_s = 5.187e+11, .i8_flop_per_s = 6.7e+12,
        .fp8_flop_per_s = 1.993e+12, .small_tile = 4.341, .step_s = 3.353e-07,
        .stored_bytes_per_s = 8.174e+10, .stored_odd_factor = 4.203, .added_factor = 4.1,
        .groups_s = 2.786e-06, .gathered_bytes_per_s = 1.96e+13,
        .sharing = {
            .l2_bytes_per_s = 7.228e+12, .l2_bytes = 19.3, .memory_bytes_per_s = 2.623e+12,
            .busy_share = 1.109e-06, .crowded_s = 1e-08, .seen_share = 0.7227,
            .alone_factor = 1.135}},
    .fma_f32 = {
        .launch_s = 2.225e-06, .fill_s = 7.632e-07, .flop_per_s = 4.775e+11, .step_s = 1e-08,
        .stored_bytes_per_s = 2.395e+10, .stored_odd_factor = 2.096, .meeting_s = 6.78e-07,
        .sent_bytes_per_s = 8.656e+10, .groups_s = 2.295e-06, .passed_bytes_per_s = 1.95e+10,
        .added_bytes_per_s = 3.368e+10,
        .sharing = {
            .l2_bytes_per_s = 7.196e+12, .l2_bytes = 5.889e+06, .memory_bytes_per_s = 5e+12,
            .busy_share = 0.01, .crowded_s = 4.538e-08, .seen_share = 1.38, .alone_factor = 0.8579}},
    .fma_f64 = {
        .launch_s = 1.81e-06, .fill_s = 9.087e-07, .flop_per_s = 4.957e+11, .step_s = 1.272e-08,
        .stored_bytes_per_s = 3.46e+10, .stored_odd_factor = 1.894, .meeting_s = 1e-08,
        .sent_bytes_per_s = 8.4e+09, .groups_s = 1.496e-06, .passed_bytes_per_s = 1.157e+10,
        .added_bytes_per_s = 1.646e+10,
        .sharing = {
            .l2_bytes_per_s = 1.758e+13, .l2_bytes = 1.777e+07, .memory_bytes_per_s = 5e+12,
            .busy_share = 0.01, .crowded_s = 1.702e-06, .seen_share = 0.6852,
            .alone_factor = 1.267}},
    .fma_f64_straight = {
        .launch_s = 2.93e-06, .fill_s = 9.643e-07, .flop_per_s = 4.957e+11, .step_s = 1.272e-08,
        .stored_bytes_per_s = 2.848e+10, .stored_odd_factor = 1.894, .meeting_s = 4.557e-09,
        .sent_bytes_per_s = 2.036e+10, .groups_s = 3.664e-06, .passed_bytes_per_s = 1.015e+11,
        .added_bytes_per_s = 3.813e+10,
        .sharing = {
            .l2_bytes_per_s = 2.089e+13, .l2_bytes = 1.777e+07, .memory_bytes_per_s = 5e+12,
            .busy_share = 0.01, .crowded_s = 3.854e-06, .seen_share = 1.082, .alone_factor = 1.287}},
    .gemv = {
        .launch_s = 1.8e-06, .memory_bytes_per_s = 3.152e+12},
};
// clang-format on

}  // namespace carat::plan
