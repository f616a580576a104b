// C^T = B^T A^T: the same product with its operands in each other's place.
#pragma once

#include <utility>

#include "core/problem.hpp"

namespace carat::core {

[[nodiscard]] inline layout transposed(const layout& l) {
    return {l.col_stride, l.row_stride};
}

[[nodiscard]] inline problem swapped(const problem& p) {
    problem turned = p;
    std::swap(turned.m, turned.n);
    std::swap(turned.a_type, turned.b_type);
    turned.a_layout = transposed(p.b_layout);
    turned.b_layout = transposed(p.a_layout);
    turned.c_layout = transposed(p.c_layout);
    return turned;
}

}  // namespace carat::core
