// C^T = B^T A^T: the same product with its operands in each other's place.
#pragma once

#include <utility>

#include "core/problem.hpp"

namespace carat::cpu_engine {

[[nodiscard]] inline core::layout transposed(const core::layout& l) {
    return {l.col_stride, l.row_stride};
}

[[nodiscard]] inline core::problem swapped(const core::problem& p) {
    core::problem turned = p;
    std::swap(turned.m, turned.n);
    std::swap(turned.a_type, turned.b_type);
    turned.a_layout = transposed(p.b_layout);
    turned.b_layout = transposed(p.a_layout);
    turned.c_layout = transposed(p.c_layout);
    return turned;
}

}  // namespace carat::cpu_engine
