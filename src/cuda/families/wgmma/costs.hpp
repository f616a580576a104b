// What the tensor-core kernels of compute capability 9.0 cost: measured on an H200.
#pragma once

#include "plan/gemm_costs.hpp"

namespace carat::cuda::wgmma {

inline constexpr plan::gemm_costs costs = {
    .column_s = 2.3e-9,
    .fewest_columns = 64,
    .pingpong_factor = 1.03,
    .width_factors = {{{192, 1.012}, {160, 1.065}, {224, 1.01}}},
    .unbuffered_promotion_factor = 1.02,
    .three_warpgroups_factor = 0.985,
    .least_k_block_s = 0.16e-6,
    .hidden_share = 0.03,
    .alone_bytes_per_s = 90e9,
    .pair_bytes_per_s = 100e9,
    .split_k_pair_bytes_per_s = 70e9,
    .split_k_narrow_factor = 0.9,
    .off_sectors_factor = 1.7,
    .memory_bytes_per_s = 4.1e12,
    .storing_bytes_per_s = 3.6e12,
    .pingpong_storing_share = 0.5,
    .launch_s = 3.3e-6,
    .split_k_sync_s = 0.7e-6,
    .split_k_send_s = 0.4e-6,
    .multicast_s = 2.2e-6,
    .l2_bytes = 16e6,
    .reread_share = 0.1,
    .thin = {.most = 32,
             .latency_s = 1.13e-6,
             .shared_bytes = 226e3,
             .most_stages = 16,
             .k_block_s = 0.15e-6,
             .alone_bytes_per_s = 150e9,
             .all_bytes_per_s = 15.8e12,
             .memory_bytes_per_s = 4.37e12,
             .launch_s = 3.05e-6,
             .overlapped_launch_s = 2.4e-6,
             .split_k_send_s = 0.1e-6,
             .sent_bytes_per_s = 175e9},
    .stream_k = {.fixed_s = 4.5e-6,
                 .fixed_bytes_s = 7.5e-6,
                 .less_shared_factor = 1.05,
                 .worth_factor = 1.01},
    .glu = {.pass_s = 2.5e-6, .fewest_rows = 129, .cooperative_worth_factor = 1.01},
    .residency = {.few_k_blocks = 40, .enough_stages = 6},
    .off_lines = {.schedules = {{{.launch_s = 2.7e-6,
                                  .stored_bytes_per_s = 137e9,
                                  .turn_s = 0.204e-6,
                                  .alone_bytes_per_s = 88.4e9,
                                  .off_sectors_factor = 1.438},
                                 {.launch_s = 2.64e-6,
                                  .stored_bytes_per_s = 58.6e9,
                                  .turn_s = 0.127e-6,
                                  .alone_bytes_per_s = 92.8e9,
                                  .off_sectors_factor = 1.578},
                                 {.launch_s = 2.92e-6,
                                  .stored_bytes_per_s = 81.9e9,
                                  .turn_s = 0.127e-6,
                                  .alone_bytes_per_s = 92.8e9,
                                  .off_sectors_factor = 1.578}}},
                  .column_s = 1.99e-9,
                  .pingpong_factor = 1.296,
                  .width_factors = {{{192, 1.018}, {160, 1.007}, {224, 1.038}}},
                  .three_warpgroups_factor = 0.875,
                  .least_k_block_s = 0.155e-6,
                  .hidden_share = 0.224,
                  .latency_s = 0.835e-6,
                  .pair_bytes_per_s = 84.3e9,
                  .split_k_pair_bytes_per_s = 87.5e9,
                  .split_k_narrow_factor = 1.175,
                  .memory_bytes_per_s = 6.65e12,
                  .storing_bytes_per_s = 3.09e12,
                  .pingpong_storing_share = 0.39,
                  .l2_bytes = 6.81e6,
                  .reread_share = 0.41,
                  .split_k_sync_s = 0.104e-6,
                  .split_k_send_s = 0.211e-6,
                  .sent_bytes_per_s = 165e9,
                  .multicast_s = {0.232e-6, 0.458e-6},
                  .stream_k_s = 3.96e-6,
                  .stream_k_of_bytes_s = 5.68e-6},
    .batched = {.schedules = {{{.launch_s = 2.31e-6,
                                .stored_bytes_per_s = 53e9,
                                .turn_s = 0.556e-6,
                                .alone_bytes_per_s = 130e9,
                                .off_sectors_factor = 1.071},
                               {.launch_s = 4.6e-6,
                                .stored_bytes_per_s = 91.6e9,
                                .turn_s = 0.115e-6,
                                .alone_bytes_per_s = 137e9,
                                .off_sectors_factor = 1.586},
                               {.launch_s = 2.89e-6,
                                .stored_bytes_per_s = 86.8e9,
                                .turn_s = 0.115e-6,
                                .alone_bytes_per_s = 137e9,
                                .off_sectors_factor = 1.586}}},
                .column_s = 2.61e-9,
                .pingpong_factor = 0.742,
                .width_factors = {{{192, 1.018}, {160, 1.007}, {224, 1.038}}},
                .three_warpgroups_factor = 1.44,
                .least_k_block_s = 0.127e-6,
                .hidden_share = 0.408,
                .latency_s = 1.25e-6,
                .pair_bytes_per_s = 83e9,
                .split_k_pair_bytes_per_s = 87.5e9,
                .split_k_narrow_factor = 1.175,
                .memory_bytes_per_s = 5.74e12,
                .storing_bytes_per_s = 4.83e12,
                .pingpong_storing_share = 0.656,
                .l2_bytes = 9.58e6,
                .reread_share = 1.08,
                .split_k_sync_s = 0,
                .split_k_send_s = 0.211e-6,
                .sent_bytes_per_s = 165e9,
                .multicast_s = {0.3e-6, 0.56e-6},
                .stream_k_s = 3.96e-6,
                .stream_k_of_bytes_s = 5.68e-6},
    .fitted_worth_factor = 1.05,
    .batch = {.stored_elements_per_s = 5e11,
              .staged_elements_per_s = 7.5e11,
              .thin = 40,
              .seen_operands = 0.7,
              .off_elements_per_s = 4e11,
              .off_at_once_elements_per_s = 3e11,
              .off_staged_elements_per_s = 8.5e11,
              .packing_launch_s = 5e-6,
              .packing_bytes_per_s = 2.2e12},  // all of an H100
    .prediction = {.memory_bytes_per_s = 4.616e12,
                   .sustained_share = 0.77,
                   .power_sharpness = 12,
                   .thin = {1.53e-6, 1.25, 19.5e9, 7.5e9},
                   .single_tile = {1.53e-6, 1.14, 20.8e9, 5.9e9},
                   .persistent = {3.6e-6, 1.09, 26.6e9, 14.5e9},
                   .storing_bytes_per_s = 4.2e12,
                   .meeting_factor = 0.86,
                   .packing_launch_s = 2.5e-6,
                   .packing_bytes_per_s = 3.1e12,
                   .transposing_launch_s = 4.6e-6,
                   .transposing_bytes_per_s = 1.9e12,
                   .low = 0.87,
                   .high = 1.15},
};

// An H100 with HBM3 has 0.7 of that memory's rate, and what comes to an SM from L2 comes at 67
// instead of 90 GB/s: pingpong tiles of 128 x 128 took 30.1 us at 2048 (bf16) where wide ones took
// 26.0, and 216 for 173 at 4096 (results/h100/tuned.json).
inline constexpr plan::gemm_costs costs_of_h100 = [] {
    plan::gemm_costs c = costs;
    c.alone_bytes_per_s = 67e9;
    c.pair_bytes_per_s = 75e9;
    c.split_k_pair_bytes_per_s = 60e9;
    c.memory_bytes_per_s = 2.9e12;
    c.storing_bytes_per_s = 2.6e12;
    c.thin.memory_bytes_per_s = 3.05e12;
    c.prediction.memory_bytes_per_s = 3.085e12;
    c.prediction.storing_bytes_per_s = 2.97e12;
    for (auto* const fitted : {&c.off_lines, &c.batched}) {
        for (auto& one : fitted->schedules) one.alone_bytes_per_s *= 0.744;
        fitted->pair_bytes_per_s *= 0.75;
        fitted->split_k_pair_bytes_per_s *= 0.75;
        fitted->memory_bytes_per_s *= 0.7;
        fitted->storing_bytes_per_s *= 0.72;
    }
    c.prediction.sustained_share = 0.83;  // 780 of 937 TFLOP/s at 8192 (results/h100/bf16.json)
    return c;
}();

}  // namespace carat::cuda::wgmma
