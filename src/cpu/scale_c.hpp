// A product with alpha or k = 0.
#pragma once

#include "cpu/task.hpp"

namespace carat::cpu_engine {

// C = beta C; does not read C if beta is 0.
template <class T>
void scale(const task<T>& t);

}  // namespace carat::cpu_engine
