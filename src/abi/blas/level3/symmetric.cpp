// Products with a symmetric matrix, and products of which one triangle is wanted. On the diagonal a
// block of order 64 is multiplied whole: the half of it that nobody wants costs 64 / n of the work.
#include <memory>
#include <new>

#include "abi/blas/level3/halves.hpp"
#include "abi/blas/level3/triangle.hpp"

namespace carat::blas {

namespace {

constexpr std::size_t block_order = 64;

// Where a call keeps one block of the diagonal after the other. Not on the stack, of which threads
// may have little, but for the small ones that are left when there is no memory.
template <class T>
class square {
  public:
    // For blocks of a matrix of order n.
    explicit square(std::size_t n) {
        if (n > small_order)
            large_.reset(static_cast<T*>(
                ::operator new(block_order* block_order * sizeof(T), alignment, std::nothrow)));
    }
    square(const square&) = delete;
    square& operator=(const square&) = delete;

    [[nodiscard]] std::size_t most() const { return large_ ? block_order : small_order; }
    [[nodiscard]] view<T> of(std::size_t order) {
        return {large_ ? large_.get() : small_, order, order, 1,
                static_cast<std::ptrdiff_t>(most())};
    }

  private:
    static constexpr std::size_t small_order = 16;
    static constexpr std::align_val_t alignment{64};
    struct release {
        void operator()(T* memory) const noexcept { ::operator delete(memory, alignment); }
    };

    std::unique_ptr<T, release> large_;
    alignas(64) T small_[small_order * small_order];
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
void multiply_symmetric_halves(T alpha, const triangle<T>& s, view<const T> b, T beta, view<T> c,
                               square<T>& block) {
    const std::size_t n = s.order();
    if (n <= block.most()) {
        const view<T> full = block.of(n);
        for_each_below(s.lower, n, [&](std::size_t i, std::size_t j) {
            full(i, j) = full(j, i) = s.elements(i, j);
        });
        return multiply<T>(alpha, full, b, beta, c);
    }
    const std::size_t at = half_of(n, block.most());
    const quarters<const T> blocks(s.elements, at);
    const view<const T> m21 = s.lower ? blocks.m21 : carat::transposed(blocks.m12);
    const view<const T> b1 = rows_before(b, at);
    const view<const T> b2 = rows_from(b, at);
    const view<T> c1 = rows_before(c, at);
    const view<T> c2 = rows_from(c, at);
    multiply_symmetric_halves<T>(alpha, {blocks.m11, s.lower}, b1, beta, c1, block);
    multiply<T>(alpha, carat::transposed(m21), b2, T{1}, c1);
    multiply_symmetric_halves<T>(alpha, {blocks.m22, s.lower}, b2, beta, c2, block);
    multiply<T>(alpha, m21, b1, T{1}, c2);
}

template <class T>
void multiply_halves(bool lower, T alpha, view<const T> a, view<const T> b, T beta, view<T> c,
                     square<T>& block) {
    const std::size_t n = c.rows();
    if (n <= block.most()) {
        const view<T> whole = block.of(n);
        multiply<T>(alpha, a, b, T{0}, whole);
        return add_to_triangle(lower, beta, c, whole);
    }
    const std::size_t at = half_of(n, block.most());
    const quarters<T> blocks(c, at);
    const view<const T> a1 = rows_before(a, at);
    const view<const T> a2 = rows_from(a, at);
    const view<const T> b1 = cols_before(b, at);
    const view<const T> b2 = cols_from(b, at);
    multiply_halves<T>(lower, alpha, a1, b1, beta, blocks.m11, block);
    if (lower) {
        multiply<T>(alpha, a2, b1, beta, blocks.m21);
    } else {
        multiply<T>(alpha, a1, b2, beta, blocks.m12);
    }
    multiply_halves<T>(lower, alpha, a2, b2, beta, blocks.m22, block);
}

template <class T>
void rank_2k_halves(bool lower, T alpha, view<const T> a, view<const T> b, T beta, view<T> c,
                    square<T>& block) {
    const std::size_t n = c.rows();
    if (n <= block.most()) {
        const view<T> half = block.of(n);
        multiply<T>(alpha, a, carat::transposed(b), T{0}, half);
        return add_to_triangle(
            lower, beta, c, [&](std::size_t i, std::size_t j) { return half(i, j) + half(j, i); });
    }
    const std::size_t at = half_of(n, block.most());
    const quarters<T> blocks(c, at);
    const view<const T> a1 = rows_before(a, at);
    const view<const T> a2 = rows_from(a, at);
    const view<const T> b1 = rows_before(b, at);
    const view<const T> b2 = rows_from(b, at);
    rank_2k_halves<T>(lower, alpha, a1, b1, beta, blocks.m11, block);
    const view<T> beside = lower ? blocks.m21 : carat::transposed(blocks.m12);
    multiply<T>(alpha, a2, carat::transposed(b1), beta, beside);
    multiply<T>(alpha, b2, carat::transposed(a1), T{1}, beside);
    rank_2k_halves<T>(lower, alpha, a2, b2, beta, blocks.m22, block);
}

}  // namespace

template <class T>
void multiply_symmetric(T alpha, const triangle<T>& s, view<const T> b, T beta,
                        view<T> c) noexcept {
    if (c.empty()) return;
    if (alpha == 0) return scale(beta, c);
    square<T> block(s.order());
    multiply_symmetric_halves(alpha, s, b, beta, c, block);
}

template <class T>
void multiply_into_triangle(bool lower, T alpha, view<const T> a, view<const T> b, T beta,
                            view<T> c) noexcept {
    if (c.empty()) return;
    if (alpha == 0 || a.cols() == 0) return scale_triangle(lower, beta, c);
    square<T> block(c.rows());
    multiply_halves(lower, alpha, a, b, beta, c, block);
}

template <class T>
void rank_2k_into_triangle(bool lower, T alpha, view<const T> a, view<const T> b, T beta,
                           view<T> c) noexcept {
    if (c.empty()) return;
    if (alpha == 0 || a.cols() == 0) return scale_triangle(lower, beta, c);
    square<T> block(c.rows());
    rank_2k_halves(lower, alpha, a, b, beta, c, block);
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
