// The GPUs that launches were fitted on (costs/*.json), and those that follow from them.
#pragma once

#include "plan/costs/h200.hpp"

namespace carat::plan {

/// How much faster another GPU with the same SMs is, of what feeds them.
struct feeding {
    double l2;
    double memory;
};

[[nodiscard]] constexpr gpu_costs fed_otherwise(gpu_costs costs, const feeding& faster) {
    const auto feed = [&](auto& of) {
        of.sharing.l2_bytes_per_s *= faster.l2;
        of.sharing.memory_bytes_per_s *= faster.memory;
    };
    costs.memory_bytes_per_s *= faster.memory;
    costs.packing.memory_bytes_per_s *= faster.memory;
    feed(costs.wgmma);
    feed(costs.mma_half);
    feed(costs.mma_f64);
    feed(costs.mma_tf32);
    feed(costs.mma_f32);
    feed(costs.fma_f32);
    feed(costs.fma_f64);
    return costs;
}

// With HBM3 memory reads at 0.67 of HBM3e's rate, and what comes to an SM from L2 comes at 67 where
// it comes at 90 GB/s on an H200.
inline constexpr gpu_costs costs_of_h100 =
    fed_otherwise(costs_of_h200, {.l2 = 0.744, .memory = 0.67});

}  // namespace carat::plan
