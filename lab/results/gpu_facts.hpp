// What a result tells of the GPU while its trials ran, and of the kernels that ran there.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lab/rows/implementation.hpp"

namespace carat::results {

struct clock_range {
    int median = 0, least = 0, most = 0;  // MHz
};

// What the driver does not tell is empty.
struct gpu_facts {
    int samples = 0;  // taken between trials
    std::optional<clock_range> clock_mhz;
    std::optional<int> memory_clock_mhz;        // median
    std::optional<int> temperature_c;           // highest
    std::vector<std::string> throttle_reasons;  // every one seen
    std::optional<double> power_w;              // mean over the energy window
    std::optional<double> joules_per_gflop;     // of the operations the result counts
    std::optional<double> energy_window_s;      // runs back to back, after the trials
};

}  // namespace carat::results
