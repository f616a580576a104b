// Waits until the process is idle. Worker threads of a parallel product go on spinning after it,
// for some 7 ms in libgomp and 100 ms in other pools, and would slow down a trial that starts
// beside them.
#pragma once

#include <functional>

namespace carat::measure {

// How the wait measures use and sleeps; by default for this process.
struct idle_probe {
    std::function<double()> now_s;
    std::function<double()> cpu_s;  // used by all threads so far
    std::function<void(double)> sleep_s;
};

[[nodiscard]] idle_probe this_process();

// Sleeps until less than a tenth of one processor is used, for at most `most_s`. Costs about half a
// millisecond if nothing spins.
void wait_until_idle(const idle_probe& probe = this_process(), double most_s = 0.2);

}  // namespace carat::measure
