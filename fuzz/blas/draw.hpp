// Random valid arguments and their shapes.
#pragma once

#include <algorithm>
#include <limits>

#include "arguments.hpp"
#include "fuzz/random.hpp"

namespace carat::fuzz {

// A matrix as the routine sees it; row-major ones are transposed.
struct blas_shape {
    std::int64_t rows;
    std::int64_t cols;
};

template <class T>
bool is_square_a(const blas_arguments<T>& g) {
    return g.which == routine::symm || g.which == routine::trmm || g.which == routine::trsm;
}

template <class T>
blas_shape shape_of_a(const blas_arguments<T>& g) {
    if (is_square_a(g)) {
        const std::int64_t order = g.side == 'L' ? g.m : g.n;
        return {order, order};
    }
    const std::int64_t outer = g.which == routine::gemm ? g.m : g.n;
    return g.trans_a == 'N' ? blas_shape{outer, g.k} : blas_shape{g.k, outer};
}

template <class T>
blas_shape shape_of_b(const blas_arguments<T>& g) {
    if (g.which == routine::gemm || g.which == routine::gemmtr)
        return g.trans_b == 'N' ? blas_shape{g.k, g.n} : blas_shape{g.n, g.k};
    if (g.which == routine::syr2k) return shape_of_a(g);
    return g.which == routine::symm ? blas_shape{g.m, g.n} : blas_shape{0, 0};
}

template <class T>
blas_shape shape_of_c(const blas_arguments<T>& g) {
    const bool square =
        g.which == routine::syrk || g.which == routine::syr2k || g.which == routine::gemmtr;
    return square ? blas_shape{g.n, g.n} : blas_shape{g.m, g.n};
}

inline std::int64_t draw_order(random_numbers& random) {
    switch (random.below(8)) {
        case 0:
            return random.between(0, 2);
        case 1:
            return random.between(60, 140);
        case 2:
            return random.chance(5) ? random.between(200, 420) : random.between(1, 70);
        default:
            return random.between(1, 40);
    }
}

// Fills the elements of `s` randomly, and everything around them and outside a triangle with NaN.
template <class T>
std::vector<T> draw_matrix(random_numbers& random, const blas_arguments<T>& g, blas_shape s,
                           std::int64_t& ld, bool triangle) {
    const bool by_rows = g.how == blas_call::by_rows;
    const std::int64_t inner = by_rows ? s.cols : s.rows;
    const std::int64_t outer = by_rows ? s.rows : s.cols;
    ld = std::max<std::int64_t>(inner, 1) + (random.chance(3) ? random.between(1, 9) : 0);
    std::vector<T> all(static_cast<std::size_t>(ld * outer), std::numeric_limits<T>::quiet_NaN());
    for (std::int64_t o = 0; o < outer; ++o)
        for (std::int64_t in = 0; in < inner; ++in) {
            const std::int64_t i = by_rows ? o : in;
            const std::int64_t j = by_rows ? in : o;
            const bool is_read = !triangle || i == j || (g.uplo == 'U') == (i < j);
            const bool unit = triangle && g.diag == 'U' && i == j && g.which != routine::symm;
            double value = random.uniform(-1, 1);
            // Well-conditioned, so small errors give small residuals.
            if (g.which == routine::trsm && triangle)
                value = i == j ? (value < 0 ? -1 : 1) * random.uniform(1, 2)
                               : value / static_cast<double>(s.rows);
            if (is_read && !unit)
                all[static_cast<std::size_t>(o * ld + in)] = static_cast<T>(value);
        }
    return all;
}

template <class T>
blas_arguments<T> draw_arguments(random_numbers& random) {
    blas_arguments<T> g;
    g.which = static_cast<routine>(random.below(routine_names.size()));
    g.how = static_cast<blas_call>(random.below(3));
    constexpr char sides[] = {'L', 'R'}, uplos[] = {'U', 'L'}, diags[] = {'N', 'U'};
    constexpr char transes[] = {'N', 'T', 'C'};
    constexpr double factors[] = {1, 1, 1, -1, 0, 2, 0.3};
    g.side = random.pick(sides);
    g.uplo = random.pick(uplos);
    g.trans_a = random.pick(transes);
    g.trans_b = random.pick(transes);
    g.diag = random.pick(diags);
    g.m = draw_order(random);
    g.n = draw_order(random);
    g.k = draw_order(random);
    g.alpha = random.pick(factors);
    g.beta = random.chance(3) ? 0 : random.pick(factors);
    g.a = draw_matrix(random, g, shape_of_a(g), g.lda, is_square_a(g));
    g.b = draw_matrix(random, g, shape_of_b(g), g.ldb, false);
    g.c = draw_matrix(random, g, shape_of_c(g), g.ldc, false);
    return g;
}

// Spoils one argument; both libraries must name the same one.
template <class T>
void spoil(random_numbers& random, blas_arguments<T>& g) {
    switch (random.below(8)) {
        case 0:
            g.side = 'X';
            return;
        case 1:
            g.uplo = 'X';
            return;
        case 2:
            g.trans_a = 'X';
            return;
        case 3:
            g.diag = 'X';
            return;
        case 4:
            g.m = -1;
            return;
        case 5:
            g.n = -2;
            return;
        case 6:
            g.lda = 0;
            return;
        default:
            g.ldc = 0;
    }
}

}  // namespace carat::fuzz
