// Runs work on several pinned threads at once and times it.
#pragma once

#include <functional>
#include <span>

namespace carat::machine {

struct shared_time {
    double span_s = 0;      // first start to last end: what a product shared among them would take
    double shortest_s = 0;  // of the thread that was disturbed least
    double balanced_s = 0;  // what all would take, were the work shared out by their speeds
};

// Calls work(i) on a new thread pinned to cpus[i], for every i; all begin together once all exist.
// The caller's affinity does not change. `work` must not throw. Throws std::system_error if a
// thread cannot be started; then no work has begun.
shared_time run_pinned(std::span<const int> cpus, const std::function<void(int)>& work);

}  // namespace carat::machine
