// What remains of a product when alpha or k is 0.
#pragma once

#include "cpu/task.hpp"

namespace carat::cpu_engine {

// C = beta C, without reading C when beta is 0.
template <class T>
void scale(const task<T>& t);

}  // namespace carat::cpu_engine
