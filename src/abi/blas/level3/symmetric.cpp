// Products with a symmetric matrix, and products of which one triangle is wanted. On the diagonal a
// block of order 64 is multiplied whole: the half of it that nobody wants costs 64 / n of the work.
#include "abi/blas/level3/halves.hpp"
#include "abi/blas/level3/triangle.hpp"

namespace carat::blas {

namespace {

constexpr std::size_t block_order = 64;

template <class T>
struct square {
    explicit square(std::size_t order) : view_of(elements, order, order, 1, block_order) {}
    square(const square&) = delete;
    square& operator=(const square&) = delete;

    alignas(64) T elements[block_order * block_order];
    view<T> view_of;
};

// Calls visit(i, j) on the triangle, diagonal included.
template <class Visit>
void for_each_below(bool lower, std::size_t order, const Visit& visit) {
    for (std::size_t j = 0; j < order; ++j)
        for (std::size_t i = lower ? j : 0; i < (lower ? order : j + 1); ++i) visit(i, j);
}

// C = beta C + value on the triangle.
template <class T, class Value>
void add_to_triangle(bool lower, T beta, view<T> c, const Value& value) {
    for_each_below(lower, c.rows(), [&](std::size_t i, std::size_t j) {
        c(i, j) = beta == 0 ? value(i, j) : beta * c(i, j) + value(i, j);
    });
}

template <class T>
void scale_triangle(bool lower, T beta, view<T> c) {
    if (beta == 1) return;
    for_each_below(lower, c.rows(), [&](std::size_t i, std::size_t j) {
        c(i, j) = beta == 0 ? T{0} : beta * c(i, j);
    });
}

template <class T>
void multiply_symmetric_halves(T alpha, const triangle<T>& s, view<const T> b, T beta, view<T> c) {
    const std::size_t n = s.order();
    if (n <= block_order) {
        square<T> full(n);
        for_each_below(s.lower, n, [&](std::size_t i, std::size_t j) {
            full.view_of(i, j) = full.view_of(j, i) = s.elements(i, j);
        });
        return multiply<T>(alpha, full.view_of, b, beta, c);
    }
    const std::size_t at = half_of(n, block_order);
    const quarters<const T> blocks(s.elements, at);
    const view<const T> m21 = s.lower ? blocks.m21 : carat::transposed(blocks.m12);
    const view<const T> b1 = rows_before(b, at);
    const view<const T> b2 = rows_from(b, at);
    const view<T> c1 = rows_before(c, at);
    const view<T> c2 = rows_from(c, at);
    multiply_symmetric_halves<T>(alpha, {blocks.m11, s.lower}, b1, beta, c1);
    multiply<T>(alpha, carat::transposed(m21), b2, T{1}, c1);
    multiply_symmetric_halves<T>(alpha, {blocks.m22, s.lower}, b2, beta, c2);
    multiply<T>(alpha, m21, b1, T{1}, c2);
}

}  // namespace

template <class T>
void multiply_symmetric(T alpha, const triangle<T>& s, view<const T> b, T beta,
                        view<T> c) noexcept {
    if (c.empty()) return;
    if (alpha == 0) return scale(beta, c);
    multiply_symmetric_halves(alpha, s, b, beta, c);
}

template <class T>
void multiply_into_triangle(bool lower, T alpha, view<const T> a, view<const T> b, T beta,
                            view<T> c) noexcept {
    const std::size_t n = c.rows();
    if (n == 0) return;
    if (alpha == 0 || a.cols() == 0) return scale_triangle(lower, beta, c);
    if (n <= block_order) {
        square<T> whole(n);
        multiply<T>(alpha, a, b, T{0}, whole.view_of);
        return add_to_triangle(lower, beta, c, whole.view_of);
    }
    const std::size_t at = half_of(n, block_order);
    const quarters<T> blocks(c, at);
    const view<const T> a1 = rows_before(a, at);
    const view<const T> a2 = rows_from(a, at);
    const view<const T> b1 = cols_before(b, at);
    const view<const T> b2 = cols_from(b, at);
    multiply_into_triangle<T>(lower, alpha, a1, b1, beta, blocks.m11);
    if (lower) {
        multiply<T>(alpha, a2, b1, beta, blocks.m21);
    } else {
        multiply<T>(alpha, a1, b2, beta, blocks.m12);
    }
    multiply_into_triangle<T>(lower, alpha, a2, b2, beta, blocks.m22);
}

template <class T>
void rank_2k_into_triangle(bool lower, T alpha, view<const T> a, view<const T> b, T beta,
                           view<T> c) noexcept {
    const std::size_t n = c.rows();
    if (n == 0) return;
    if (alpha == 0 || a.cols() == 0) return scale_triangle(lower, beta, c);
    if (n <= block_order) {
        square<T> half(n);
        multiply<T>(alpha, a, carat::transposed(b), T{0}, half.view_of);
        return add_to_triangle(lower, beta, c, [&](std::size_t i, std::size_t j) {
            return half.view_of(i, j) + half.view_of(j, i);
        });
    }
    const std::size_t at = half_of(n, block_order);
    const quarters<T> blocks(c, at);
    const view<const T> a1 = rows_before(a, at);
    const view<const T> a2 = rows_from(a, at);
    const view<const T> b1 = rows_before(b, at);
    const view<const T> b2 = rows_from(b, at);
    rank_2k_into_triangle<T>(lower, alpha, a1, b1, beta, blocks.m11);
    const view<T> beside = lower ? blocks.m21 : carat::transposed(blocks.m12);
    multiply<T>(alpha, a2, carat::transposed(b1), beta, beside);
    multiply<T>(alpha, b2, carat::transposed(a1), T{1}, beside);
    rank_2k_into_triangle<T>(lower, alpha, a2, b2, beta, blocks.m22);
}

template void multiply_symmetric(float, const triangle<float>&, view<const float>, float,
                                 view<float>) noexcept;
template void multiply_symmetric(double, const triangle<double>&, view<const double>, double,
                                 view<double>) noexcept;
template void multiply_into_triangle(bool, float, view<const float>, view<const float>, float,
                                     view<float>) noexcept;
template void multiply_into_triangle(bool, double, view<const double>, view<const double>, double,
                                     view<double>) noexcept;
template void rank_2k_into_triangle(bool, float, view<const float>, view<const float>, float,
                                    view<float>) noexcept;
template void rank_2k_into_triangle(bool, double, view<const double>, view<const double>, double,
                                    view<double>) noexcept;

}  // namespace carat::blas
