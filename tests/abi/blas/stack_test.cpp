// No routine takes more than 32 KiB of stack, so that threads of 64 KiB may call them.
#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "interface.hpp"
#include "tests/core/small_stack.hpp"

namespace carat::blas::tested {

namespace {

template <class T>
class stack_of : public test::stack_test {
  protected:
    // Zeros but on the diagonal, for triangles that are divided by.
    static std::vector<T> square(integer n) {
        std::vector<T> x(static_cast<std::size_t>(n * n));
        for (integer i = 0; i < n; ++i) x[static_cast<std::size_t>(i * (n + 1))] = 1;
        return x;
    }
};
using reals = testing::Types<float, double>;
TYPED_TEST_SUITE(stack_of, reals);

constexpr language all_languages[] = {language::fortran, language::cblas_by_columns,
                                      language::cblas_by_rows};

TYPED_TEST(stack_of, gemm_and_gemmtr) {
    using T = TypeParam;
    constexpr integer most = 1100;
    const std::vector<T> a(static_cast<std::size_t>(most * most), T{1}), b = a;
    std::vector<T> c = a;
    struct {
        integer m, n, k;
    } const shapes[] = {{1100, 5, 500}, {7, 1000, 1100}, {1100, 1, 1100}, {1, 1100, 1100},
                        {60, 50, 300},  {150, 140, 130}, {700, 710, 720}};
    for (const language in : all_languages)
        for (const auto& s : shapes)
            for (const char ta : {'N', 'T'})
                for (const char tb : {'N', 'T'}) {
                    const std::string what = std::to_string(s.m) + " x " + std::to_string(s.n) +
                                             " x " + std::to_string(s.k) + ", " + ta + tb;
                    this->expect_little("gemm " + what, [&] {
                        gemm<T>(in, ta, tb, s.m, s.n, s.k, 1, a.data(), most, b.data(), most, 1,
                                c.data(), most);
                    });
                    this->expect_little("gemmtr " + what, [&] {
                        gemmtr<T>(in, 'L', ta, tb, s.n, s.k, 1, a.data(), most, b.data(), most, 1,
                                  c.data(), most);
                    });
                }
}

// The deeper a matrix is cut, the more frames lie upon each other.
TYPED_TEST(stack_of, symmetric_and_triangular_routines) {
    using T = TypeParam;
    for (const integer n : {5, 63, 200, 1500})
        for (const integer few : {integer{3}, std::min<integer>(n, 300)}) {
            const std::vector<T> a = this->square(n);
            const std::vector<T> b(static_cast<std::size_t>(n * n), T{1});
            std::vector<T> c = b;
            for (const char uplo : {'L', 'U'})
                for (const char other : {'N', 'T'}) {
                    const language in = language::fortran;
                    const std::string what =
                        " " + std::to_string(n) + ", " + std::to_string(few) + ", " + uplo + other;
                    const char side = other == 'N' ? 'L' : 'R';
                    const integer m = side == 'L' ? n : few;
                    const integer cols = side == 'L' ? few : n;
                    this->expect_little("symm" + what, [&] {
                        symm<T>(in, side, uplo, m, cols, 1, a.data(), n, b.data(), n, 1, c.data(),
                                n);
                    });
                    this->expect_little("syrk" + what, [&] {
                        syrk<T>(in, uplo, other, n, few, 1, b.data(), n, 1, c.data(), n);
                    });
                    this->expect_little("syr2k" + what, [&] {
                        syr2k<T>(in, uplo, other, n, few, 1, b.data(), n, b.data(), n, 1, c.data(),
                                 n);
                    });
                    for (const bool solve : {false, true})
                        this->expect_little((solve ? "trsm" : "trmm") + what, [&] {
                            triangular<T>(solve, in, side, uplo, other, 'N', m, cols, 1, a.data(),
                                          n, c.data(), n);
                        });
                }
        }
}

}  // namespace

}  // namespace carat::blas::tested
