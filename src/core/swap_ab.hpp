// C^T = B^T A^T: the same product with its operands swapped.
#pragma once

#include "core/problem.hpp"

namespace carat::core {

[[nodiscard]] inline layout transposed(const layout& l) {
    return {l.col_stride, l.row_stride};
}

[[nodiscard]] inline problem swapped(const problem& p) {
    return {.a_type = p.b_type,
            .b_type = p.a_type,
            .c_type = p.c_type,
            .m = p.n,
            .n = p.m,
            .k = p.k,
            .a_layout = transposed(p.b_layout),
            .b_layout = transposed(p.a_layout),
            .c_layout = transposed(p.c_layout),
            .alpha = p.alpha,
            .beta = p.beta};
}

}  // namespace carat::core
