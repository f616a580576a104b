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

template <class Integer>
struct shape_in {
    char first_letter = 'N';   // 'N' or 'T', of the operand that BLAS calls A
    char second_letter = 'N';  // of the one it calls B
    Integer m = 0;
    Integer n = 0;
    Integer k = 0;
    Integer first_ld = 1;
    Integer second_ld = 1;
    Integer c_ld = 1;
    bool swapped = false;  // BLAS's A is our B

    template <class T>
    [[nodiscard]] const T* first(const core::operands& data) const {
        return static_cast<const T*>(swapped ? data.b : data.a);
    }
    template <class T>
    [[nodiscard]] const T* second(const core::operands& data) const {
        return static_cast<const T*>(swapped ? data.a : data.b);
    }
};
using blas_shape = shape_in<std::int64_t>;

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
// Libraries of 32-bit integers take this one, where reason_against_shape() has no reason up to
// their largest.
[[nodiscard]] shape_in<int> int_shape_for_blas(const core::problem& p);

}  // namespace carat::vendor
