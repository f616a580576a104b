// The five loops around a micro-kernel, over packed blocks.
#pragma once

#include "cpu/task.hpp"
#include "plan/cpu_plan.hpp"

namespace carat::cpu_engine {

// Elements of T of workspace that multiply_blocked needs.
[[nodiscard]] std::int64_t blocked_elements(const plan::blocking& blocks);

// Multiplies large operands in packed blocks, on one thread.
template <class T>
void multiply_blocked(const task<T>& t, const plan::blocking& blocks, T* workspace);

}  // namespace carat::cpu_engine
