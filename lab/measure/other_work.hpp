// How much of the processors other work took while something was measured: what the system counts
// on them less what this process used. A hypervisor that runs another guest meanwhile counts too.
#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

namespace carat::measure {

// Seconds of processor time so far, idling left out.
struct work_probe {
    std::function<double()> now_s;
    std::function<double()> own_s;                 // of all threads of this process
    std::function<std::optional<double>()> all_s;  // of everything; none: the system does not tell
    int cpus = 0;
};

// Of these hardware threads, by the system's numbers, as /proc/stat has them.
[[nodiscard]] work_probe processor_time(std::vector<int> cpus);

// What /proc/stat says they did, stolen time included, in its ticks; none when it lacks one.
[[nodiscard]] std::optional<double> busy_ticks(std::string_view stat, const std::vector<int>& cpus);

// From its construction on.
class other_work {
  public:
    explicit other_work(work_probe probe);

    // Of the time of all the processors, 0 to 1; none where the system does not tell, or after less
    // than half a second, for which its ticks are too coarse.
    [[nodiscard]] std::optional<double> share() const;

  private:
    work_probe probe_;
    double began_s_;
    double own_s_;
    std::optional<double> all_s_;
};

}  // namespace carat::measure
