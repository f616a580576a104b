// A product with a triangle, or a solution with one, against its definition.
#pragma once

#include <gtest/gtest.h>
#include <ostream>

#include "stored.hpp"

namespace carat::blas::tested {

struct triangular_case {
    bool solve;
    char side, uplo, trans, diag;
    std::size_t m, n;
};

inline std::ostream& operator<<(std::ostream& to, const triangular_case& x) {
    return to << (x.solve ? "trsm " : "trmm ") << x.side << x.uplo << x.trans << x.diag << " "
              << x.m << " x " << x.n;
}

template <class T>
void multiply_or_solve(const triangular_case& x, language in, T alpha, const stored<T>& t,
                       stored<T>& b) {
    triangular<T>(x.solve, in, x.side, x.uplo, x.trans, x.diag, integer(x.m), integer(x.n), alpha,
                  t.data(), t.ld(), b.data(), b.ld());
}

// (i, j) of op(T).
template <class T>
long double element_of_triangle(const stored<T>& t, const triangular_case& x, std::size_t i,
                                std::size_t j) {
    if (i == j && x.diag == 'U') return 1;
    const bool kept = x.trans == 'N' ? in_triangle(x.uplo, i, j) : in_triangle(x.uplo, j, i);
    return kept ? element(t, x.trans, i, j) : 0.0L;
}

// B must be alpha op(T) B before (trmm), or op(T) B must be alpha B before (trsm), as far as
// close(sum, value) says; zero, whatever was read, where alpha is.
template <class T, class Close>
void expect_triangular(const triangular_case& x, T alpha, const stored<T>& t,
                       const stored<T>& before, const stored<T>& b, const Close& close) {
    const auto& of_x = x.solve ? b : before;
    const long double scale = x.solve ? 1 : alpha;
    for (std::size_t i = 0; i < x.m; ++i)
        for (std::size_t j = 0; j < x.n; ++j) {
            sum line;
            for (std::size_t p = 0; p < t.rows() && alpha != 0; ++p) {
                const long double e = x.side == 'L' ? element_of_triangle(t, x, i, p) * of_x(p, j)
                                                    : element_of_triangle(t, x, p, j) * of_x(i, p);
                if (e != 0) line.add(scale * e);
            }
            const long double got =
                x.solve && alpha != 0 ? static_cast<long double>(alpha) * before(i, j) : b(i, j);
            ASSERT_TRUE(close(line, got))
                << x << ": (" << i << ", " << j << ") is " << static_cast<double>(got)
                << ", expected " << static_cast<double>(line.value);
        }
}

}  // namespace carat::blas::tested
