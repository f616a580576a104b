// Runs work on several pinned threads at once and times it from the first start to the last end,
// which is the time that a product shared among them would take.
#pragma once

#include <functional>
#include <span>

namespace carat::machine {

// Calls work(i) on a new thread pinned to cpus[i], for every i; all begin together once all exist.
// Returns seconds. The caller's own affinity is not touched. `work` must not throw. Throws
// std::system_error when a thread can't be started; then no work has begun.
double run_together(std::span<const int> cpus, const std::function<void(int)>& work);

}  // namespace carat::machine
