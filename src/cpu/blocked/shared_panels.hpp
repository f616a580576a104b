// The five loops on many threads, in groups that share what they pack of B.
#pragma once

#include <cstddef>

#include "cpu/blocked/five_loops.hpp"

namespace carat::cpu_engine {

// Bytes of workspace that multiply_sharing_panels needs.
[[nodiscard]] std::size_t shared_panels_bytes(const plan::cpu_plan& plan, int element_bytes);

// Multiplies on the threads of a plan that shares panels. The bits are those of multiply_blocked.
template <class T>
void multiply_sharing_panels(const task<T>& t, const plan::cpu_plan& plan, std::byte* workspace);

}  // namespace carat::cpu_engine
