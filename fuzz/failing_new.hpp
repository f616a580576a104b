// Allocations that fail on demand: the program's operator new serves the library, too.
#pragma once

namespace carat::fuzz {

// While it lives, the allocation of this thread after `successes` others throws std::bad_alloc.
class failing_new {
  public:
    explicit failing_new(int successes);
    failing_new(const failing_new&) = delete;
    failing_new& operator=(const failing_new&) = delete;
    ~failing_new();

    [[nodiscard]] static bool has_failed();
};

// Pieces of memory allocated and not released, by any thread.
[[nodiscard]] long live_allocations();

}  // namespace carat::fuzz
