// Chooses the instruction set of the anatomy steps: the best one of this machine, or the one that
// CARAT_FORCE_ISA names.
#pragma once

#include "ladder/cpu/anatomy/product.hpp"

namespace carat::ladder::cpu {

// T is double or float. Throws carat::error if CARAT_FORCE_ISA cannot be obeyed.
template <class T>
[[nodiscard]] const level<T>& level_in_use();

}  // namespace carat::ladder::cpu
