// B = alpha T B and B = alpha T^-1 B in place. The halves are computed in the order in which each
// reads only what it still needs of the other. Columns of B are independent. alpha is applied to B
// (factors.hpp says when), so that it brings no element of T out of range.
#include "abi/blas/level3/diagonal.hpp"
#include "abi/blas/level3/factors.hpp"
#include "abi/blas/level3/halves.hpp"
#include "abi/blas/level3/shares.hpp"
#include "abi/blas/level3/triangle.hpp"

namespace carat::blas {

namespace {

template <class T>
const diagonal_functions<T>& functions() {
    const diagonal_set& set = diagonal_functions_in_use();
    if constexpr (sizeof(T) == sizeof(float)) {
        return set.f32;
    } else {
        return set.f64;
    }
}

// Half a triangle of multiplications for each column.
template <class T>
double work_of(const triangle<T>& t, const columns& of) {
    const auto order = static_cast<double>(t.order());
    return order * order / 2 * static_cast<double>(of.count);
}

template <class T>
using on_small = void (*)(const small_triangle<T>&, strided<T>, std::size_t);

template <class T>
void run_small(on_small<T> run, const triangle<T>& t, view<T> b, const columns& of) {
    const small_triangle<T> small = {
        {t.elements.data(), t.elements.row_stride(), t.elements.col_stride()},
        t.order(),
        t.lower,
        t.unit};
    for_each_stretch(threads_for(work_of(t, of)), of.count, [&](const columns& part, int) {
        run(small, {&b(0, of.first + part.first), b.row_stride(), b.col_stride()}, part.count);
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
void multiply_halves(const triangle<T>& t, view<T> b, const columns& of) {
    if (t.order() <= diagonal_order) return run_small<T>(functions<T>().multiply, t, b, of);
    const halves<T> h(t, b);
    if (t.lower) {
        multiply_halves<T>(h.second, h.b2, of);
        multiply_columns<T>(T{1}, h.blocks.m21, h.b1, T{1}, h.b2, of);
        multiply_halves<T>(h.first, h.b1, of);
    } else {
        multiply_halves<T>(h.first, h.b1, of);
        multiply_columns<T>(T{1}, h.blocks.m12, h.b2, T{1}, h.b1, of);
        multiply_halves<T>(h.second, h.b2, of);
    }
}

template <class T>
void solve_halves(const triangle<T>& t, view<T> b, const columns& of) {
    if (t.order() <= diagonal_order) return run_small<T>(functions<T>().solve, t, b, of);
    const halves<T> h(t, b);
    if (t.lower) {
        solve_halves<T>(h.first, h.b1, of);
        multiply_columns<T>(T{-1}, h.blocks.m21, h.b1, T{1}, h.b2, of);
        solve_halves<T>(h.second, h.b2, of);
    } else {
        solve_halves<T>(h.second, h.b2, of);
        multiply_columns<T>(T{-1}, h.blocks.m12, h.b2, T{1}, h.b1, of);
        solve_halves<T>(h.first, h.b1, of);
    }
}

// Runs `work`, which is linear in B, on each thread's columns, and multiplies B by alpha.
template <class T, class Work>
void on_scaled_columns(T alpha, const triangle<T>& t, const view<T>& b, const Work& work) {
    const int threads = threads_for(work_of(t, {0, b.cols()}));
    const split_factor<T> factors = split_before(alpha, b, threads);
    for_each_stretch(threads, b.cols(), [&](const columns& of, int) {
        const view<T> own = b.block(0, of.first, b.rows(), of.count);
        scale(factors.first, own);
        work(of);
        scale(factors.last, own);
    });
}

}  // namespace

template <class T>
void multiply_triangle(T alpha, const triangle<T>& t, view<T> b) noexcept {
    if (b.empty()) return;
    if (alpha == 0) return scale(T{0}, b);
    on_scaled_columns(alpha, t, b, [&](const columns& of) { multiply_halves(t, b, of); });
}

template <class T>
void solve_triangle(T alpha, const triangle<T>& t, view<T> b) noexcept {
    if (b.empty()) return;
    if (alpha == 0) return scale(T{0}, b);
    on_scaled_columns(alpha, t, b, [&](const columns& of) { solve_halves(t, b, of); });
}

template void multiply_triangle(float, const triangle<float>&, view<float>) noexcept;
template void multiply_triangle(double, const triangle<double>&, view<double>) noexcept;
template void solve_triangle(float, const triangle<float>&, view<float>) noexcept;
template void solve_triangle(double, const triangle<double>&, view<double>) noexcept;

}  // namespace carat::blas
