// The triangular and symmetric routines of level 3, halved recursively until the rest is small, so
// that everything off the diagonal becomes products.
//
//        n1   n2        The matrix of order n is divided into two of about half the order and an
//      +----+----+      off-diagonal block. The strides of a view say whether an operand is left or
//   n1 | 11 | 12 |      right, transposed or not, row- or column-major, so each routine exists once
//      +----+----+      for lower and once for upper triangles.
//   n2 | 21 | 22 |
//      +----+----+
#pragma once

#include "abi/blas/level3/product.hpp"

namespace carat::blas {

// A square matrix of which one triangle is read. `unit`: the diagonal counts as ones and is not
// read.
template <class T>
struct triangle {
    view<const T> elements;
    bool lower;
    bool unit = false;

    [[nodiscard]] std::size_t order() const { return elements.rows(); }
};

// The transpose of the same matrix.
template <class T>
[[nodiscard]] triangle<T> transposed(const triangle<T>& t) {
    return {carat::transposed(t.elements), !t.lower, t.unit};
}

// B = alpha T B. If alpha = 0 neither is read.
template <class T>
void multiply_triangle(T alpha, const triangle<T>& t, view<T> b) noexcept;

// B = alpha T^-1 B by substitution; T may be singular, as in the reference BLAS. If alpha = 0
// neither is read.
template <class T>
void solve_triangle(T alpha, const triangle<T>& t, view<T> b) noexcept;

// C = alpha S B + beta C, where S is symmetric and one triangle of it is stored.
template <class T>
void multiply_symmetric(T alpha, const triangle<T>& s, view<const T> b, T beta, view<T> c) noexcept;

// The lower or upper triangle of C = alpha A B + beta C; the rest of C is neither read nor written.
template <class T>
void multiply_into_triangle(bool lower, T alpha, view<const T> a, view<const T> b, T beta,
                            view<T> c) noexcept;

// The same for C = alpha (A B^T + B A^T) + beta C.
template <class T>
void rank_2k_into_triangle(bool lower, T alpha, view<const T> a, view<const T> b, T beta,
                           view<T> c) noexcept;

}  // namespace carat::blas
