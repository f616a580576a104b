// Products with a symmetric matrix, and products of which one triangle is wanted. Diagonal blocks
// of order 64 are multiplied whole; the unwanted half costs 64 / n of the work.
#include <memory>
#include <new>

#include "abi/blas/level3/factors.hpp"
#include "abi/blas/level3/halves.hpp"
#include "abi/blas/level3/shares.hpp"
#include "abi/blas/level3/triangle.hpp"

namespace carat::blas {

namespace {

constexpr std::size_t block_order = 64;

// The memory in which each thread of a call keeps its current diagonal block. It is not on the
// stack, which may be small, except for the small blocks that are used if there is no memory.
template <class T>
class squares {
  public:
    // Allocates for the blocks of a matrix of order n.
    squares(std::size_t n, int threads) {
        if (n <= small_order) return;
        const std::size_t bytes = block_order * block_order * sizeof(T);
        large_.reset(static_cast<T*>(
            ::operator new(bytes* static_cast<std::size_t>(threads), alignment, std::nothrow)));
        if (large_ != nullptr) threads_ = threads;
    }
    squares(const squares&) = delete;
    squares& operator=(const squares&) = delete;

    // The threads that there is memory for; one if there is none.
    [[nodiscard]] int threads() const { return threads_; }
    [[nodiscard]] std::size_t most() const { return large_ ? block_order : small_order; }
    [[nodiscard]] view<T> of(int thread, std::size_t order) {
        T* const large =
            large_.get() + static_cast<std::size_t>(thread) * block_order * block_order;
        return {large_ ? large : small_, order, order, 1, static_cast<std::ptrdiff_t>(most())};
    }

  private:
    static constexpr std::size_t small_order = 16;
    static constexpr std::align_val_t alignment{64};
    struct release {
        void operator()(T* memory) const noexcept { ::operator delete(memory, alignment); }
    };

    std::unique_ptr<T, release> large_;
    int threads_ = 1;
    alignas(64) T small_[small_order * small_order];
};

// One thread's block.
template <class T>
struct square {
    squares<T>& all;
    int thread;

    [[nodiscard]] std::size_t most() const { return all.most(); }
    [[nodiscard]] view<T> of(std::size_t order) { return all.of(thread, order); }
};

double product_of(std::size_t x, std::size_t y, std::size_t z) {
    return static_cast<double>(x) * static_cast<double>(y) * static_cast<double>(z);
}

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
                               const columns& of, square<T>& block) {
    const std::size_t n = s.order();
    if (n <= block.most()) {
        const view<T> full = block.of(n);
        for_each_below(s.lower, n, [&](std::size_t i, std::size_t j) {
            full(i, j) = full(j, i) = s.elements(i, j);
        });
        return multiply_columns<T>(alpha, full, b, beta, c, of);
    }
    const std::size_t at = half_of(n, block.most());
    const quarters<const T> blocks(s.elements, at);
    const view<const T> m21 = s.lower ? blocks.m21 : carat::transposed(blocks.m12);
    const view<const T> b1 = rows_before(b, at);
    const view<const T> b2 = rows_from(b, at);
    const view<T> c1 = rows_before(c, at);
    const view<T> c2 = rows_from(c, at);
    multiply_symmetric_halves<T>(alpha, {blocks.m11, s.lower}, b1, beta, c1, of, block);
    multiply_columns<T>(alpha, carat::transposed(m21), b2, T{1}, c1, of);
    multiply_symmetric_halves<T>(alpha, {blocks.m22, s.lower}, b2, beta, c2, of, block);
    multiply_columns<T>(alpha, m21, b1, T{1}, c2, of);
}

// Calls work(part) for this piece's rows of an off-diagonal block, which may be the sum of two
// products.
template <class T, class Work>
void multiply_beside(view<T> c, std::size_t depth, turns& deal, const Work& work) {
    const double multiplications = product_of(c.rows(), c.cols(), depth);
    const std::size_t parts = deal.parts_of(multiplications, c.rows());
    for (std::size_t i = 0; i < parts; ++i) {
        const std::size_t first = c.rows() * i / parts;
        const std::size_t end = c.rows() * (i + 1) / parts;
        if (deal.mine()) work(api::part_of_c{first, end - first, 0, c.cols()});
    }
}

template <class T>
void multiply_halves(bool lower, T alpha, view<const T> a, view<const T> b, T beta, view<T> c,
                     turns& deal, square<T>& block) {
    const std::size_t n = c.rows();
    if (n <= block.most()) {
        if (!deal.mine()) return;
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
    multiply_halves<T>(lower, alpha, a1, b1, beta, blocks.m11, deal, block);
    const view<T>& beside = lower ? blocks.m21 : blocks.m12;
    multiply_beside(beside, a.cols(), deal, [&](const api::part_of_c& part) {
        multiply_part<T>(alpha, lower ? a2 : a1, lower ? b1 : b2, beta, beside, part);
    });
    multiply_halves<T>(lower, alpha, a2, b2, beta, blocks.m22, deal, block);
}

template <class T>
void rank_2k_halves(bool lower, T alpha, view<const T> a, view<const T> b, T beta, view<T> c,
                    turns& deal, square<T>& block) {
    const std::size_t n = c.rows();
    if (n <= block.most()) {
        if (!deal.mine()) return;
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
    rank_2k_halves<T>(lower, alpha, a1, b1, beta, blocks.m11, deal, block);
    const view<T> beside = lower ? blocks.m21 : carat::transposed(blocks.m12);
    multiply_beside(beside, 2 * a.cols(), deal, [&](const api::part_of_c& part) {
        multiply_part<T>(alpha, a2, carat::transposed(b1), beta, beside, part);
        multiply_part<T>(alpha, b2, carat::transposed(a1), T{1}, beside, part);
    });
    rank_2k_halves<T>(lower, alpha, a2, b2, beta, blocks.m22, deal, block);
}

// Calls run(turns, square) for each piece of a recursion over a triangle of order n.
template <class T, class Run>
void share_triangle(std::size_t n, double multiplications, const Run& run) {
    squares<T> blocks(n, n <= block_order ? 1 : threads_for(multiplications));
    for_each_turn(blocks.threads(), multiplications, [&](turns deal, int thread) {
        square<T> block{blocks, thread};
        run(deal, block);
    });
}

}  // namespace

template <class T>
void multiply_symmetric(T alpha, const triangle<T>& s, view<const T> b, T beta,
                        view<T> c) noexcept {
    if (c.empty()) return;
    if (alpha == 0) return scale(beta, c);
    const std::size_t n = s.order();
    squares<T> blocks(n, threads_for(product_of(n, n, c.cols())));
    with_safe_factor<T>(alpha, b, s, n, [&](T factor, const view<const T>& x) {
        for_each_stretch(blocks.threads(), c.cols(), [&](const columns& of, int thread) {
            square<T> block{blocks, thread};
            multiply_symmetric_halves(factor, s, x, beta, c, of, block);
        });
    });
}

template <class T>
void multiply_into_triangle(bool lower, T alpha, view<const T> a, view<const T> b, T beta,
                            view<T> c) noexcept {
    if (c.empty()) return;
    if (alpha == 0 || a.cols() == 0) return scale_triangle(lower, beta, c);
    const std::size_t n = c.rows();
    with_safe_factor<T>(alpha, a, b, a.cols(), [&](T factor, const view<const T>& x) {
        share_triangle<T>(n, product_of(n, n, a.cols()) / 2, [&](turns& deal, square<T>& block) {
            multiply_halves(lower, factor, x, b, beta, c, deal, block);
        });
    });
}

template <class T>
void rank_2k_into_triangle(bool lower, T alpha, view<const T> a, view<const T> b, T beta,
                           view<T> c) noexcept {
    if (c.empty()) return;
    if (alpha == 0 || a.cols() == 0) return scale_triangle(lower, beta, c);
    const std::size_t n = c.rows();
    with_safe_factor<T>(alpha, a, b, a.cols(), [&](T factor, const view<const T>& x) {
        share_triangle<T>(n, product_of(n, n, a.cols()), [&](turns& deal, square<T>& block) {
            rank_2k_halves(lower, factor, x, b, beta, c, deal, block);
        });
    });
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
