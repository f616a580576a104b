// Workspace of a loop: given by the caller, or a little of the stack instead.
#pragma once

#include <cstdint>

namespace carat::cpu_engine {

// What a loop may have on the stack, of the 32 KiB that a whole call takes at most.
inline constexpr std::int64_t stack_bytes = 14 << 10;

// The workspace given, or the stack.
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
