// A GPU that nobody fitted costs on: what its attributes say, and what was measured of it, become
// the constants by which launches are planned there.
#pragma once

#include <string_view>

#include "plan/gpu_costs.hpp"

namespace carat::plan {

/// What decides between plans, of a whole GPU.
struct gpu_rates {
    int sms = 0;
    double clock_hz = 0;
    double half_flop_per_s = 0;  // mma.sync of f16 and bf16, summed in f32
    double tf32_flop_per_s = 0;
    double f64_flop_per_s = 0;  // by tensor cores where it has any for f64
    double ffma_flop_per_s = 0;
    double l2_bytes = 0;
    double l2_bytes_per_s = 0;
    double memory_bytes_per_s = 0;
};

struct gpu_attributes {
    std::string_view name;
    int compute_capability = 0;  // 89 for 8.9
    int sms = 0;
    double clock_hz = 0;
    double l2_bytes = 0;
    double memory_bytes_per_s = 0;  // by its clock and the width of its bus
};

/// Rates follow from what an SM of its capability does in a clock, as published (CUDA C++
/// Programming Guide; the makers' papers named in costs/published.json). GeForce cards since 8.6
/// sum halves and tf32 in f32 at half the rate of others with the same SMs.
[[nodiscard]] gpu_rates rates_from(const gpu_attributes& gpu);

/// Those of the H200 that costs/h200.json was fitted on.
[[nodiscard]] const gpu_rates& rates_of_h200();

/// An H200's costs: rates as `gpu` has them, times of an SM by its clock, launches as they are.
[[nodiscard]] gpu_costs costs_from(const gpu_rates& gpu);

}  // namespace carat::plan
