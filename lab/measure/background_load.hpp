// How much of the processors other work took while something was measured: what the system counts
// on them less what this process used. A hypervisor that runs another guest meanwhile counts too.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "lab/measure/busy.hpp"

namespace carat::measure {

// Of several processors together, idling left out; in the system's ticks or in seconds.
struct processor_use {
    double busy = 0;
    double stolen = 0;  // of it, by the hypervisor's other guests

    bool operator==(const processor_use&) const = default;
};

// What is looked at, so far.
struct work_probe {
    std::function<double()> now_s;
    std::function<double()> own_s;  // processor time of all threads of this process
    std::function<std::optional<processor_use>()> all_s;  // none: the system does not tell
    // How often one of this process's threads lost its processor while it would have gone on.
    std::function<std::int64_t()> displaced;
    int cpus = 0;
    bool sees_all = true;  // false: a container's own processes and no others
};

// Of these hardware threads, by the system's numbers, as /proc/stat has them.
[[nodiscard]] work_probe processor_time(std::vector<int> cpus);

// What /proc/stat says they did, stolen time included, in its ticks; none when it lacks one.
[[nodiscard]] std::optional<processor_use> busy_ticks(std::string_view stat,
                                                      const std::vector<int>& cpus);

// From its construction on.
class background_load {
  public:
    explicit background_load(work_probe probe);

    // Of the time of all the processors, 0 to 1; none where the system does not tell, or after less
    // than half a second, for which its ticks are too coarse.
    [[nodiscard]] std::optional<double> share() const { return seen().other_share; }

    // All but `threads` and `cores`, which the measurement knows.
    [[nodiscard]] conditions seen() const;

  private:
    work_probe probe_;
    double began_s_;
    double own_s_;
    std::int64_t displaced_;
    std::optional<processor_use> all_s_;
};

}  // namespace carat::measure
