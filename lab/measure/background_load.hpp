// The share of the processors that other work took during a measurement: what the system counts for
// them, less what this process used. Time that a hypervisor gives to other guests counts, too.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "lab/measure/busy.hpp"

namespace carat::measure {

// The time of several processors together, without idling, in the system's ticks or in seconds.
struct processor_use {
    double busy = 0;
    double stolen = 0;  // of it, by the hypervisor's other guests

    bool operator==(const processor_use&) const = default;
};

// The counters so far.
struct work_probe {
    std::function<double()> now_s;
    std::function<double()> own_s;  // processor time of all threads of this process
    std::function<std::optional<processor_use>()> all_s;  // none: the system does not tell
    // How often the scheduler preempted a thread of this process.
    std::function<std::int64_t()> displaced;
    int cpus = 0;
    bool sees_all = true;  // false: a container's own processes and no others
};

// Reads these hardware threads, by the system's numbers, from /proc/stat.
[[nodiscard]] work_probe processor_time(std::vector<int> cpus);

// Their busy time in /proc/stat, stolen time included, in ticks; none if one is missing.
[[nodiscard]] std::optional<processor_use> busy_ticks(std::string_view stat,
                                                      const std::vector<int>& cpus);

// Measures from its construction on.
class background_load {
  public:
    explicit background_load(work_probe probe);

    // The share of the time of all processors, 0 to 1. None if the system does not tell, or after
    // less than half a second, for which its ticks are too coarse.
    [[nodiscard]] std::optional<double> share() const { return seen().other_share; }

    // Everything except `threads` and `cores`, which the measurement knows.
    [[nodiscard]] conditions seen() const;

  private:
    work_probe probe_;
    double began_s_;
    double own_s_;
    std::int64_t displaced_;
    std::optional<processor_use> all_s_;
};

}  // namespace carat::measure
