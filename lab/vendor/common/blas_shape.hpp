// What BLAS can say about a product. Its gemm takes column-major operands, each as it lies or
// transposed, so strides become a letter and a leading dimension:
//
//     row_stride 1, col_stride ld  ->  'N'        row_stride ld, col_stride 1  ->  'T'
//
// A row-major C is the column-major C^T = B^T A^T: the operands change places, nothing is copied.
#pragma once

#include <cstdint>
#include <string>

#include "core/problem.hpp"

namespace carat::vendor {

struct blas_shape {
    char first_letter = 'N';   // 'N' or 'T', of the operand that BLAS calls A
    char second_letter = 'N';  // of the one it calls B
    std::int64_t m = 0;
    std::int64_t n = 0;
    std::int64_t k = 0;
    std::int64_t first_ld = 1;
    std::int64_t second_ld = 1;
    std::int64_t c_ld = 1;
    bool swapped = false;  // BLAS's A is our B
};

// True when no product remains to be computed: C = beta C, or no C at all.
[[nodiscard]] constexpr bool is_degenerate(const core::problem& p) {
    return p.m == 0 || p.n == 0 || p.k == 0 || p.alpha == 0;
}

// Why BLAS can't express `p` with sizes and leading dimensions up to `largest`; empty when it can.
// Degenerate problems never reach BLAS and always pass.
[[nodiscard]] std::string reason_against_shape(const core::problem& p, std::int64_t largest);

// Libraries scale integer sums in float, which rounds them: why `p` can't have that, or empty.
[[nodiscard]] std::string reason_against_float_scaling(const core::problem& p);

// Only for problems without such a reason that are not degenerate.
[[nodiscard]] blas_shape shape_for_blas(const core::problem& p);

}  // namespace carat::vendor
