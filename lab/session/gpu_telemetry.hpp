// Looks at the GPU between the trials of a result, and measures the energy of its runs after them.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "lab/gpu/nvml.hpp"
#include "lab/results/gpu_facts.hpp"

namespace carat::session {

// The GPU and the clock that are looked at; a test has its own.
struct gpu_sensors {
    std::function<gpu::reading()> read;               // takes some ms on a virtual machine
    std::function<std::optional<double>()> energy_j;  // only that: less than 1 ms
    std::function<double()> now_s;                    // these two are asked by another thread, too
    double last_look_s = -1;                          // at any result
};

// Sensors of the GPU in use; `read` is empty where NVML has no answers.
[[nodiscard]] gpu_sensors sensors_in_use();

class gpu_telemetry {
  public:
    // Called after a trial, outside the timed region: takes a sample if this result has none or
    // none was taken just now.
    void look(gpu_sensors& from);

    // Energy and time of runs back to back, between ticks of the energy counter, which advances ten
    // times a second: another thread reads it meanwhile, so that the GPU has no pause. `run` runs
    // as often as it is told, waits for the end and says how long that took; once takes `run_s`.
    void measure_energy(const gpu_sensors& from, double run_s,
                        const std::function<double(std::int64_t runs)>& run, double flop);

    // Nothing when nothing was seen.
    [[nodiscard]] std::optional<results::gpu_facts> facts() const;

  private:
    std::vector<gpu::reading> samples_;
    std::optional<double> power_w_;
    std::optional<double> joules_per_gflop_;
    std::optional<double> window_s_;
};

}  // namespace carat::session
