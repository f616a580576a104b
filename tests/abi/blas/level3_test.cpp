// Compares each of carat's routines with its definition: all options, ragged sizes, every ABI,
// leading dimensions beyond the matrix, NaN wherever nothing may be read, and every byte around the
// result.
#include <gtest/gtest.h>

#include "triangular_case.hpp"

namespace carat::blas::tested {

namespace {

constexpr language languages[] = {language::fortran, language::cblas_by_columns,
                                  language::cblas_by_rows};
constexpr std::size_t sizes[] = {0, 1, 2, 7, 33, 70};
constexpr std::size_t orders[] = {0, 1, 3, 64, 65, 130};   // around a block of the symmetric ones
constexpr std::size_t small_orders[] = {0, 1, 3, 33, 66};  // and of the triangular ones
constexpr std::size_t depths[] = {0, 1, 5, 40};

template <class T>
struct factor_pair {
    T alpha;
    T beta;
};
template <class T>
constexpr factor_pair<T> factors[] = {
    {T(1), T(0)}, {T(-0.75), T(1.5)}, {T(0), T(0)}, {T(0), T(0.5)}, {T(2), T(1)}};

// Counts the cases, so that no test passes without having tried any.
std::size_t executed = 0;

// Compares C with alpha sum(i, j) + beta C on the triangle `uplo`, all of it if that is 'G', and
// the rest with what it was.
template <class T, class Terms>
void expect_result(const stored<T>& c, const stored<T>& before, factor_pair<T> f, char uplo,
                   const Terms& terms) {
    const auto wanted = [&](std::size_t i, std::size_t j) {
        return uplo == 'G' || in_triangle(uplo, i, j);
    };
    for (std::size_t i = 0; i < c.rows(); ++i) {
        for (std::size_t j = 0; j < c.cols(); ++j) {
            if (!wanted(i, j)) continue;
            sum expected;
            if (f.alpha != 0)
                terms(i, j,
                      [&](long double x) { expected.add(static_cast<long double>(f.alpha) * x); });
            if (f.beta != 0) expected.add(static_cast<long double>(f.beta) * before(i, j));
            ASSERT_TRUE(expected.agrees<T>(c(i, j)))
                << "(" << i << ", " << j << ") is " << c(i, j) << ", expected "
                << static_cast<double>(expected.value);
        }
    }
    ASSERT_TRUE(c.untouched(before, wanted)) << "something else was written";
    ++executed;
}

template <class T>
class level3 : public ::testing::Test {
  protected:
    // Not a constant, so that a test names the seed it fails with.
    std::mt19937 random{20260101};

    void SetUp() override { executed = 0; }
    void TearDown() override {
        ASSERT_GT(executed, 300u);
        this->RecordProperty("executed", static_cast<int>(executed));
    }

    // Numbers where the routine may read: nowhere when alpha is 0.
    stored<T> read_matrix(language in, std::size_t rows, std::size_t cols, T alpha) {
        stored<T> made(in, rows, cols);
        if (alpha != 0) made.fill(random);
        return made;
    }
    stored<T> read_triangle(language in, std::size_t order, char uplo, bool unit, T alpha) {
        stored<T> made(in, order, order);
        if (alpha == 0) return made;
        made.fill(random, [&](std::size_t i, std::size_t j) {
            return in_triangle(uplo, i, j) && !(unit && i == j);
        });
        // A diagonal that lets substitution be stable, so that errors don't grow with the order.
        for (std::size_t i = 0; i < order && !unit; ++i)
            made(i, i) += made(i, i) < 0 ? T(-4) : T(4);
        if (unit)
            for (std::size_t i = 0; i < order; ++i)
                for (std::size_t j = 0; j < order; ++j)
                    if (i != j) made(i, j) *= T(0.05);
        return made;
    }
    stored<T> written_matrix(language in, std::size_t rows, std::size_t cols, T beta) {
        stored<T> made(in, rows, cols);
        if (beta != 0) made.fill(random);
        return made;
    }

    // The sum of A B over K, on one triangle of C unless `uplo` is 'G'.
    void general(language in, char uplo, char ta, char tb, std::size_t m, std::size_t n,
                 std::size_t k) {
        const auto f = factors<T>[executed % std::size(factors<T>)];
        const auto a = ta == 'N' ? read_matrix(in, m, k, f.alpha) : read_matrix(in, k, m, f.alpha);
        const auto b = tb == 'N' ? read_matrix(in, k, n, f.alpha) : read_matrix(in, n, k, f.alpha);
        auto c = written_matrix(in, m, n, f.beta);
        const auto before = c;
        if (uplo == 'G')
            gemm<T>(in, ta, tb, integer(m), integer(n), integer(k), f.alpha, a.data(), a.ld(),
                    b.data(), b.ld(), f.beta, c.data(), c.ld());
        else
            gemmtr<T>(in, uplo, ta, tb, integer(n), integer(k), f.alpha, a.data(), a.ld(), b.data(),
                      b.ld(), f.beta, c.data(), c.ld());
        SCOPED_TRACE(::testing::Message() << uplo << ta << tb << " " << m << "x" << n << "x" << k
                                          << " alpha " << f.alpha << " beta " << f.beta);
        expect_result(c, before, f, uplo, [&](std::size_t i, std::size_t j, auto add) {
            for (std::size_t p = 0; p < k; ++p) add(element(a, ta, i, p) * element(b, tb, p, j));
        });
    }

    void rank_k(language in, bool two, char uplo, char trans, std::size_t n, std::size_t k) {
        const auto f = factors<T>[executed % std::size(factors<T>)];
        const std::size_t rows = trans == 'N' ? n : k;
        const auto a = read_matrix(in, rows, n + k - rows, f.alpha);
        const auto b = read_matrix(in, rows, n + k - rows, f.alpha);
        auto c = written_matrix(in, n, n, f.beta);
        const auto before = c;
        if (two)
            syr2k<T>(in, uplo, trans, integer(n), integer(k), f.alpha, a.data(), a.ld(), b.data(),
                     b.ld(), f.beta, c.data(), c.ld());
        else
            syrk<T>(in, uplo, trans, integer(n), integer(k), f.alpha, a.data(), a.ld(), f.beta,
                    c.data(), c.ld());
        const auto& other = two ? b : a;
        SCOPED_TRACE(::testing::Message()
                     << uplo << trans << " " << n << " " << k << (two ? " two" : " one"));
        expect_result(c, before, f, uplo, [&](std::size_t i, std::size_t j, auto add) {
            for (std::size_t p = 0; p < k; ++p) {
                add(element(a, trans, i, p) * element(other, trans, j, p));
                if (two) add(element(b, trans, i, p) * element(a, trans, j, p));
            }
        });
    }

    void symmetric(language in, char side, char uplo, std::size_t m, std::size_t n,
                   factor_pair<T> f) {
        const std::size_t order = side == 'L' ? m : n;
        const auto a = read_triangle(in, order, uplo, false, f.alpha);
        const auto b = read_matrix(in, m, n, f.alpha);
        auto c = written_matrix(in, m, n, f.beta);
        const auto before = c;
        symm<T>(in, side, uplo, integer(m), integer(n), f.alpha, a.data(), a.ld(), b.data(), b.ld(),
                f.beta, c.data(), c.ld());
        SCOPED_TRACE(::testing::Message() << side << uplo << " " << m << "x" << n);
        const auto of_a = [&](std::size_t i, std::size_t j) {
            return element(a, in_triangle(uplo, i, j) ? 'N' : 'T', i, j);
        };
        expect_result(c, before, f, 'G', [&](std::size_t i, std::size_t j, auto add) {
            for (std::size_t p = 0; p < order; ++p)
                add(side == 'L' ? of_a(i, p) * b(p, j)
                                : static_cast<long double>(b(i, p)) * of_a(p, j));
        });
    }

    void with_triangle(language in, const triangular_case& x, T alpha) {
        const std::size_t order = x.side == 'L' ? x.m : x.n;
        const auto a = read_triangle(in, order, x.uplo, x.diag == 'U', alpha);
        auto b = read_matrix(in, x.m, x.n, alpha);
        const auto before = b;
        multiply_or_solve(x, in, alpha, a, b);
        expect_triangular(x, alpha, a, before, b, [](const sum& line, long double got) {
            return line.template agrees<T>(got);
        });
        ASSERT_TRUE(b.untouched(before, [](std::size_t, std::size_t) { return true; }));
        ++executed;
    }
};

using types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(level3, types);

TYPED_TEST(level3, gemm) {
    for (const language in : languages)
        for (const char ta : {'N', 'T', 'C'})
            for (const char tb : {'N', 'T', 'C'})
                for (const std::size_t m : sizes)
                    for (const std::size_t n : sizes)
                        for (const std::size_t k : depths) {
                            this->general(in, 'G', ta, tb, m, n, k);
                            if (this->HasFatalFailure()) return;
                        }
}

TYPED_TEST(level3, gemmtr) {
    for (const language in : languages)
        for (const char uplo : {'L', 'U'})
            for (const char ta : {'N', 'T', 'C'})
                for (const char tb : {'N', 'T', 'C'})
                    for (const std::size_t n : orders)
                        for (const std::size_t k : depths) {
                            this->general(in, uplo, ta, tb, n, n, k);
                            if (this->HasFatalFailure()) return;
                        }
}

TYPED_TEST(level3, syrk_and_syr2k) {
    for (const bool two : {false, true})
        for (const language in : languages)
            for (const char uplo : {'L', 'U'})
                for (const char trans : {'N', 'T', 'C'})
                    for (const std::size_t n : orders)
                        for (const std::size_t k : depths) {
                            this->rank_k(in, two, uplo, trans, n, k);
                            if (this->HasFatalFailure()) return;
                        }
}

TYPED_TEST(level3, symm) {
    for (const language in : languages)
        for (const char side : {'L', 'R'})
            for (const char uplo : {'L', 'U'})
                for (const std::size_t m : orders)
                    for (const std::size_t n : sizes)
                        for (const auto& f : factors<TypeParam>) {
                            this->symmetric(in, side, uplo, m, n, f);
                            if (this->HasFatalFailure()) return;
                        }
}

TYPED_TEST(level3, trmm_and_trsm) {
    for (const bool solve : {false, true})
        for (const language in : languages)
            for (const char side : {'L', 'R'})
                for (const char uplo : {'L', 'U'})
                    for (const char trans : {'N', 'T', 'C'})
                        for (const char diag : {'N', 'U'})
                            for (const std::size_t m : small_orders)
                                for (const std::size_t n : small_orders) {
                                    this->with_triangle(in, {solve, side, uplo, trans, diag, m, n},
                                                        factors<TypeParam>[executed % 4].alpha);
                                    if (this->HasFatalFailure()) return;
                                }
}

// What is not on the diagonal's side of a NaN stays a number, as in the reference.
TYPED_TEST(level3, a_nan_reaches_only_its_own_line) {
    using T = TypeParam;
    const std::size_t n = 100;
    for (const bool solve : {false, true})
        for (std::size_t bad = 0; bad < n; bad += 3)
            for (const char uplo : {'L', 'U'}) {
                const auto a = this->read_triangle(language::fortran, n, uplo, false, T(1));
                auto b = this->read_matrix(language::fortran, n, 9, T(1));
                b(bad, 4) = nan_of<T>;
                triangular<T>(solve, language::fortran, 'L', uplo, 'N', 'N', integer(n), 9, T(1),
                              a.data(), a.ld(), b.data(), b.ld());
                for (std::size_t i = 0; i < n; ++i)
                    for (std::size_t j = 0; j < 9; ++j)
                        ASSERT_EQ(std::isnan(b(i, j)), j == 4 && in_triangle(uplo, i, bad))
                            << solve << uplo << bad << ": " << i << ", " << j;
                executed += n;
            }
}

// Aliased operands are forbidden, but programs use them: the result is that of the values before.
TYPED_TEST(level3, overlapping_operands_give_the_product_of_what_was_there) {
    using T = TypeParam;
    for (std::size_t n = 1; n < 40; ++n) {
        auto b = this->read_matrix(language::fortran, n, n, T(1));
        auto c = this->read_matrix(language::fortran, n, n, T(1));
        const auto before = c;
        gemm<T>(language::fortran, 'N', 'N', integer(n), integer(n), integer(n), T(1), c.data(),
                c.ld(), b.data(), b.ld(), T(0), c.data(), c.ld());
        expect_result(c, before, {T(1), T(0)}, 'G', [&](std::size_t i, std::size_t j, auto add) {
            for (std::size_t p = 0; p < n; ++p)
                add(static_cast<long double>(before(i, p)) * b(p, j));
        });
        executed += 10;
    }
}

// Larger than any block, all threads, and one triangle of many columns.
TYPED_TEST(level3, large) {
    this->with_triangle(language::fortran, {true, 'L', 'L', 'N', 'N', 300, 1100}, TypeParam(2));
    executed += 600;
}

}  // namespace

}  // namespace carat::blas::tested
