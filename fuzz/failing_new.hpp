// Allocations that fail on demand: the program's operator new serves the library, too.
#pragma once

namespace carat::fuzz {

// The allocation of this thread after `successes` others throws std::bad_alloc.
void fail_allocation_after(int successes);
// No more. Returns whether one has failed.
bool stop_failing();

// Pieces of memory allocated and not released, by any thread.
[[nodiscard]] long live_allocations();

}  // namespace carat::fuzz
