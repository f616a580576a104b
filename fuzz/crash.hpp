// Reports a child's crash: the signal, the address, whether it was the end of the stack, and the
// calls that led there, each as a file and an offset (addr2line -Cfe FILE OFFSET).
#pragma once

#include <cstddef>
#include <memory>

namespace carat::fuzz {

// Reports crashes of this process on standard error from now on. The default action follows.
void tell_of_crashes();

// Prints the current calls of every thread of this process on standard error, once
// tell_of_crashes() was called; shows threads that wait for each other.
void tell_of_all_threads();

// The stack for a thread's signal handler, since its own may be exhausted.
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
