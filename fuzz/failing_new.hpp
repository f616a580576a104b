// Allocations that fail on demand: the library also uses the program's operator new.
#pragma once

namespace carat::fuzz {

// Has this thread's allocation after `successes` others throw std::bad_alloc.
void fail_allocation_after(int successes);
// Ends this. Returns whether one has failed.
bool stop_failing();

// The allocations of all threads that have not been released.
[[nodiscard]] long live_allocations();

}  // namespace carat::fuzz
