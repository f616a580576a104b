// The triangular and symmetric routines of level 3, cut in halves until what is left is small:
// everything beside the diagonal becomes products.
//
//        n1   n2        The matrix of order n is cut into two of about half the order and a block
//      +----+----+      beside them. Where and how an operand lies (left or right, transposed or
//   n1 | 11 | 12 |      not, row- or column-major) is in the strides of its view, so that each
//      +----+----+      routine exists once for lower and once for upper triangles.
//   n2 | 21 | 22 |
//      +----+----+
#pragma once

#include "abi/blas/level3/product.hpp"

namespace carat::blas {

// A square matrix of which one triangle is read. `unit`: its diagonal is taken as ones, not read.
template <class T>
struct triangle {
    view<const T> elements;
    bool lower;
    bool unit = false;

    [[nodiscard]] std::size_t order() const { return elements.rows(); }
};

// The same matrix seen transposed.
template <class T>
[[nodiscard]] triangle<T> transposed(const triangle<T>& t) {
    return {carat::transposed(t.elements), !t.lower, t.unit};
}

// B = alpha T B. When alpha = 0 neither is read.
template <class T>
void multiply_triangle(T alpha, const triangle<T>& t, view<T> b) noexcept;

// B = alpha T^-1 B, by substitution; T may be singular, as in the reference BLAS. When alpha = 0
// neither is read.
template <class T>
void solve_triangle(T alpha, const triangle<T>& t, view<T> b) noexcept;

// C = alpha S B + beta C, with S the symmetric matrix of which the triangle is stored.
template <class T>
void multiply_symmetric(T alpha, const triangle<T>& s, view<const T> b, T beta, view<T> c) noexcept;

// The lower or upper triangle of C = alpha A B + beta C; the rest of C is neither read nor written.
template <class T>
void multiply_into_triangle(bool lower, T alpha, view<const T> a, view<const T> b, T beta,
                            view<T> c) noexcept;

// The same of C = alpha (A B^T + B A^T) + beta C.
template <class T>
void rank_2k_into_triangle(bool lower, T alpha, view<const T> a, view<const T> b, T beta,
                           view<T> c) noexcept;

}  // namespace carat::blas
