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
        .launch_s = 4e-07, .packed_launch_s = 3.382e-07, .fill_s = 1.446e-06,
        .column_s = 1.41e-09, .pingpong_factor = 1.387, .promoted_factor = 1.799,
        .latency_s = 9.072e-07, .least_step_s = 1.651e-07, .off_sectors_factor = 1.592,
        .arriving_bytes_per_s = 2.896e+11, .stored_bytes_per_s = 3.98e+10,
        .stored_odd_factor = 2.289, .across_odd_factor = 2.02, .added_s = 7.305e-07,
        .added_bytes_per_s = 3.941e+10, .threads_bytes_per_s = 2.287e+09,
        .sent_bytes_per_s = 2.245e+10, .sharing_s = 6.512e-08, .stream_k_s = 2.7e-06,
        .sharing = {
            .l2_bytes_per_s = 1.269e+13, .l2_bytes = 1.435e+06, .memory_bytes_per_s = 6.048e+12,
            .seen_share = 1.566, .alone_factor = 1.131, .busy_share = 0.1906}},
    .packing = {
        .launch_s = 4.339e-06, .transposing_launch_s = 5.143e-06, .bytes_per_s = 4.669e+12,
        .transposed_bytes_per_s = 2.59e+12, .memory_bytes_per_s = 1.36e+13, .l2_bytes = 2.988e+07},
    .mma_half = {
        .launch_s = 1.709e-06, .fill_s = 1.209e-06, .flop_per_s = 1.751e+12, .small_tile = 0.9027,
        .copied_bytes_per_s = 9.506e+10, .eight_bytes_factor = 1.316, .single_factor = 3.542,
        .step_s = 3.925e-07, .stored_bytes_per_s = 2.534e+11, .stored_odd_factor = 7.57,
        .added_factor = 11,
        .sharing = {
            .l2_bytes_per_s = 3.449e+16, .l2_bytes = 111.8, .memory_bytes_per_s = 2.331e+12,
            .seen_share = 0.4574, .alone_factor = 0.9857, .busy_share = 4.596e-07}},
    .mma_f64 = {
        .launch_s = 2.877e-06, .fill_s = 5.495e-11, .flop_per_s = 2.508e+11, .small_tile = 1.219,
        .copied_bytes_per_s = 3.809e+11, .eight_bytes_factor = 8.282, .single_factor = 4,
        .step_s = 3.042e-07, .stored_bytes_per_s = 3.175e+10, .stored_odd_factor = 0.8975,
        .added_factor = 4.491,
        .sharing = {
            .l2_bytes_per_s = 5.304e+15, .l2_bytes = 5.607, .memory_bytes_per_s = 2.289e+12,
            .seen_share = 0.004735, .alone_factor = 0.1279, .busy_share = 8.328e-08}},
    .mma_tf32 = {
        .launch_s = 2.086e-06, .fill_s = 7.436e-07, .flop_per_s = 1.402e+12, .small_tile = 48.62,
        .copied_bytes_per_s = 1.726e+12, .eight_bytes_factor = 1.4, .single_factor = 30.95,
        .step_s = 1.256e-07, .stored_bytes_per_s = 2.278e+10, .stored_odd_factor = 1.631,
        .added_factor = 4.063,
        .sharing = {
            .l2_bytes_per_s = 2.663e+16, .l2_bytes = 271.2, .memory_bytes_per_s = 2.661e+12,
            .seen_share = 1.032, .alone_factor = 0.007516, .busy_share = 2.367e-06}},
    .mma_f32 = {
        .launch_s = 2.473e-06, .fill_s = 7.605e-07, .flop_per_s = 2.744e+11, .small_tile = 14.13,
        .copied_bytes_per_s = 2.234e+15, .eight_bytes_factor = 1.4, .single_factor = 35040,
        .step_s = 3.211e-07, .stored_bytes_per_s = 6.185e+11, .stored_odd_factor = 8.751,
        .added_factor = 23.46,
        .sharing = {
            .l2_bytes_per_s = 3.394e+16, .l2_bytes = 32.68, .memory_bytes_per_s = 1.636e+12,
            .seen_share = 0.9023, .alone_factor = 1.423e-05, .busy_share = 4.427e-06}},
    .mma_large = {
        .launch_s = 1.249e-06, .fill_s = 2.372e-06, .half_flop_per_s = 3.912e+12,
        .tf32_flop_per_s = 2.293e+12, .three_tf32_flop_per_s = 2.708e+11,
        .f32_flop_per_s = 4.726e+11, .f64_flop_per_s = 5.187e+11, .i8_flop_per_s = 6.7e+12,
        .fp8_flop_per_s = 1.993e+12, .small_tile = 4.341, .step_s = 3.353e-07,
        .stored_bytes_per_s = 8.174e+10, .stored_odd_factor = 4.203, .added_factor = 4.1,
        .groups_s = 2.786e-06, .gathered_bytes_per_s = 1.96e+13,
        .sharing = {
            .l2_bytes_per_s = 7.228e+12, .l2_bytes = 19.3, .memory_bytes_per_s = 2.623e+12,
            .seen_share = 0.7227, .alone_factor = 1.135, .busy_share = 1.109e-06}},
    .fma_f32 = {
        .launch_s = 1.838e-06, .fill_s = 6.229e-07, .flop_per_s = 5.195e+11, .step_s = 1.254e-10,
        .stored_bytes_per_s = 5.834e+10, .stored_odd_factor = 3.707, .meeting_s = 4.351e-07,
        .sent_bytes_per_s = 4.217e+10, .groups_s = 1.62e-06, .passed_bytes_per_s = 1.494e+10,
        .added_bytes_per_s = 4.965e+10,
        .sharing = {
            .l2_bytes_per_s = 8.169e+12, .l2_bytes = 723.8, .memory_bytes_per_s = 3.443e+12,
            .seen_share = 1.935, .alone_factor = 0.778, .busy_share = 0.07713}},
    .fma_f64 = {
        .launch_s = 2.275e-06, .fill_s = 3.71e-07, .flop_per_s = 5.215e+11, .step_s = 2.392e-10,
        .stored_bytes_per_s = 3.328e+10, .stored_odd_factor = 2.397, .meeting_s = 8.561e-08,
        .sent_bytes_per_s = 1.309e+10, .groups_s = 2.721e-06, .passed_bytes_per_s = 1.304e+10,
        .added_bytes_per_s = 4.815e+10,
        .sharing = {
            .l2_bytes_per_s = 1.903e+13, .l2_bytes = 2.168e+06, .memory_bytes_per_s = 4.921e+12,
            .seen_share = 1.239, .alone_factor = 0.8628, .busy_share = 0.04657}},
    .gemv = {
        .launch_s = 2.38e-06, .memory_bytes_per_s = 4.645e+12},
};
// clang-format on

}  // namespace carat::plan
