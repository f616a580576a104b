// Calls on a stack of 64 KiB between inaccessible pages, in the calling thread, and how much of it
// they use.
#pragma once

#include <cstddef>
#include <functional>

namespace carat::fuzz {

inline constexpr std::size_t small_stack_bytes = std::size_t{64} << 10;
// The stack that docs and tests promise a call takes at most.
inline constexpr std::size_t promised_stack_bytes = std::size_t{32} << 10;

// Runs `work`, which must not throw, and returns the bytes of stack that it used.
std::size_t on_small_stack(const std::function<void()>& work);

}  // namespace carat::fuzz
