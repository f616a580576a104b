// What a child says of a crash: the signal, the address, whether it was the stack's end, and the
// calls that led there, as a file and an offset each (addr2line -Cfe FILE OFFSET).
#pragma once

#include <cstddef>
#include <memory>

namespace carat::fuzz {

// For the rest of this process, on standard error. The default action follows.
void tell_of_crashes();

// The calls that every thread of this process is in, on standard error, once tell_of_crashes() was
// called: of those that wait for each other.
void tell_of_all_threads();

// The stack that a thread's handler runs on, since its own may be what is used up.
class crash_stack {
  public:
    crash_stack();
    crash_stack(const crash_stack&) = delete;
    crash_stack& operator=(const crash_stack&) = delete;
    ~crash_stack();

  private:
    std::unique_ptr<std::byte[]> memory_;
};

}  // namespace carat::fuzz
