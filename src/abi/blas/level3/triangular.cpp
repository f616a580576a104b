// B = alpha T B and B = alpha T^-1 B in place: the halves in the order in which each reads only
// what it still needs of the other.
#include <algorithm>

#include "abi/blas/level3/diagonal.hpp"
#include "abi/blas/level3/halves.hpp"
#include "abi/blas/level3/threads.hpp"
#include "abi/blas/level3/triangle.hpp"
#include "core/pool.hpp"

namespace carat::blas {

namespace {

// Columns a thread must have to be worth waking: 2^19 multiplications, about 20 us.
constexpr std::size_t least_columns = 512;

template <class T>
const diagonal_functions<T>& functions() {
    const diagonal_set& set = diagonal_functions_in_use();
    if constexpr (sizeof(T) == sizeof(float)) {
        return set.f32;
    } else {
        return set.f64;
    }
}

template <class T>
using on_small = void (*)(T, const small_triangle<T>&, strided<T>, std::size_t);

// Columns don't depend on each other, so that their number per thread changes no result.
template <class T>
void run_small(on_small<T> run, T alpha, const triangle<T>& t, view<T> b) {
    const small_triangle<T> small = {
        {t.elements.data(), t.elements.row_stride(), t.elements.col_stride()},
        t.order(),
        t.lower,
        t.unit};
    const auto columns = [&](std::size_t first, std::size_t last) {
        if (first >= last) return;
        run(alpha, small, {&b(0, first), b.row_stride(), b.col_stride()}, last - first);
    };
    const std::size_t parts = b.cols() / least_columns;
    if (parts < 2) return columns(0, b.cols());
    const int threads = static_cast<int>(std::min(parts, static_cast<std::size_t>(thread_limit())));
    const std::size_t share = (b.cols() / static_cast<std::size_t>(threads) + 31) / 32 * 32;
    core::for_each_piece(threads, threads, [&](int i, int) {
        const std::size_t first = static_cast<std::size_t>(i) * share;
        columns(first, i + 1 == threads ? b.cols() : std::min(b.cols(), first + share));
    });
}

template <class T>
struct halves {
    halves(const triangle<T>& t, const view<T>& b)
        : at(half_of(t.order(), diagonal_order)),
          blocks(t.elements, at),
          first{blocks.m11, t.lower, t.unit},
          second{blocks.m22, t.lower, t.unit},
          b1(rows_before(b, at)),
          b2(rows_from(b, at)) {}

    std::size_t at;
    quarters<const T> blocks;
    triangle<T> first;
    triangle<T> second;
    view<T> b1;
    view<T> b2;
};

template <class T>
void multiply_halves(T alpha, const triangle<T>& t, view<T> b) {
    if (t.order() <= diagonal_order) return run_small<T>(functions<T>().multiply, alpha, t, b);
    const halves<T> h(t, b);
    if (t.lower) {
        multiply_halves<T>(alpha, h.second, h.b2);
        multiply<T>(alpha, h.blocks.m21, h.b1, T{1}, h.b2);
        multiply_halves<T>(alpha, h.first, h.b1);
    } else {
        multiply_halves<T>(alpha, h.first, h.b1);
        multiply<T>(alpha, h.blocks.m12, h.b2, T{1}, h.b1);
        multiply_halves<T>(alpha, h.second, h.b2);
    }
}

template <class T>
void solve_halves(T alpha, const triangle<T>& t, view<T> b) {
    if (t.order() <= diagonal_order) return run_small<T>(functions<T>().solve, alpha, t, b);
    const halves<T> h(t, b);
    if (t.lower) {
        solve_halves<T>(alpha, h.first, h.b1);
        multiply<T>(T{-1}, h.blocks.m21, h.b1, alpha, h.b2);
        solve_halves<T>(T{1}, h.second, h.b2);
    } else {
        solve_halves<T>(alpha, h.second, h.b2);
        multiply<T>(T{-1}, h.blocks.m12, h.b2, alpha, h.b1);
        solve_halves<T>(T{1}, h.first, h.b1);
    }
}

}  // namespace

template <class T>
void multiply_triangle(T alpha, const triangle<T>& t, view<T> b) noexcept {
    if (b.empty()) return;
    if (alpha == 0) return scale(T{0}, b);
    multiply_halves(alpha, t, b);
}

template <class T>
void solve_triangle(T alpha, const triangle<T>& t, view<T> b) noexcept {
    if (b.empty()) return;
    if (alpha == 0) return scale(T{0}, b);
    solve_halves(alpha, t, b);
}

template void multiply_triangle(float, const triangle<float>&, view<float>) noexcept;
template void multiply_triangle(double, const triangle<double>&, view<double>) noexcept;
template void solve_triangle(float, const triangle<float>&, view<float>) noexcept;
template void solve_triangle(double, const triangle<double>&, view<double>) noexcept;

}  // namespace carat::blas
