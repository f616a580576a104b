// The workspace of a loop: the caller's, or a little of the stack.
#pragma once

#include <cstdint>

namespace carat::cpu_engine {

// The most that a loop may take of the stack; a whole call takes at most 32 KiB.
inline constexpr std::int64_t stack_bytes = 14 << 10;

// The given workspace, or the stack.
template <class T>
class scratch {
  public:
    explicit scratch(T* given) : memory_(given != nullptr ? given : on_stack_) {}
    scratch(const scratch&) = delete;
    scratch& operator=(const scratch&) = delete;

    [[nodiscard]] T* memory() { return memory_; }

  private:
    T* memory_;
    alignas(64) T on_stack_[stack_bytes / sizeof(T)];
};

}  // namespace carat::cpu_engine
