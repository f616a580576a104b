// Every routine over the whole range of exponents: each matrix has its own magnitude, and every
// representable result must be reached, whatever alpha times one of them would be.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>

#include "triangular_case.hpp"

namespace carat::blas::tested {

namespace {

// Exponents of two that leave room for sums and for the spread within a matrix.
template <class T>
constexpr int most_exponent = std::numeric_limits<T>::max_exponent - 12;
template <class T>
constexpr int least_exponent = std::numeric_limits<T>::min_exponent + 12;

template <class T>
class range_of_level3 : public ::testing::Test {
  protected:
    std::mt19937 random{20261128};

    int pick(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); }
    char pick(std::initializer_list<char> of) {
        return of.begin()[pick(0, static_cast<int>(of.size()) - 1)];
    }
    language pick_language() { return static_cast<language>(pick(0, 2)); }
    static bool fits(int exponent) {
        return exponent >= least_exponent<T> && exponent <= most_exponent<T>;
    }
    int any_exponent() { return pick(least_exponent<T>, most_exponent<T>); }

    T number(int exponent) {
        const T one_to_two = T(1) + std::uniform_real_distribution<T>(0, T(0.99))(random);
        return std::ldexp(pick(0, 1) == 0 ? one_to_two : -one_to_two, exponent);
    }
    stored<T> matrix(language in, std::size_t rows, std::size_t cols, int exponent) {
        stored<T> made(in, rows, cols);
        for (std::size_t i = 0; i < rows; ++i)
            for (std::size_t j = 0; j < cols; ++j) made(i, j) = number(exponent - pick(0, 3));
        return made;
    }
    // A diagonal so much larger than the rest that substitution is stable.
    stored<T> triangle(language in, std::size_t order, int exponent, bool unit) {
        stored<T> made(in, order, order);
        for (std::size_t i = 0; i < order; ++i)
            for (std::size_t j = 0; j < order; ++j)
                made(i, j) = i != j ? number(std::max(exponent - 8, least_exponent<T>))
                             : unit ? nan_of<T>
                                    : number(exponent);
        return made;
    }
};
using types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(range_of_level3, types);

TYPED_TEST(range_of_level3, trmm_and_trsm_reach_what_can_be_represented) {
    using T = TypeParam;
    for (int done = 0; done < 2000;) {
        const triangular_case x = {.solve = this->pick(0, 1) == 1,
                                   .side = this->pick({'L', 'R'}),
                                   .uplo = this->pick({'L', 'U'}),
                                   .trans = this->pick({'N', 'T'}),
                                   .diag = this->pick({'N', 'N', 'N', 'U'}),
                                   .m = std::size_t(this->pick(1, 50)),
                                   .n = std::size_t(this->pick(1, 50))};
        const int of_alpha = this->any_exponent(), of_any = this->any_exponent(),
                  of_b = this->any_exponent(), of_t = x.diag == 'U' ? 0 : of_any;
        const int of_result = of_alpha + of_b + (x.solve ? -of_t : of_t);
        if (!this->fits(of_result) || !this->fits(of_t - 8) || !this->fits(of_result - 8)) continue;
        const language in = this->pick_language();
        const std::size_t order = x.side == 'L' ? x.m : x.n;
        const T alpha = this->number(of_alpha);
        const auto t = this->triangle(in, order, of_t, x.diag == 'U');
        auto b = this->matrix(in, x.m, x.n, of_b);
        const auto before = b;
        multiply_or_solve(x, in, alpha, t, b);
        SCOPED_TRACE(::testing::Message()
                     << "exponents of alpha, T, B: " << of_alpha << ", " << of_t << ", " << of_b);
        expect_triangular(x, alpha, t, before, b, [&](const sum& line, long double got) {
            const long double unit = std::numeric_limits<T>::epsilon();
            return std::abs(got - line.value) <=
                   static_cast<long double>(order + 8) * unit * line.magnitude;
        });
        if (this->HasFatalFailure()) return;
        ++done;
    }
}

enum class product : std::uint8_t { gemm, symm, syrk, syr2k, gemmtr };

template <class T>
struct operands {
    language in;
    char uplo;
    T alpha;
    stored<T> a;  // of symm symmetric, so that it may be read anywhere
    stored<T> b;
};

// C = alpha A B^T, alpha A B (symm), alpha A A^T or alpha (A B^T + B A^T).
template <class T>
void call(product routine, const operands<T>& x, stored<T>& c) {
    const auto n = integer(x.a.rows()), k = integer(x.a.cols());
    const T *const a = x.a.data(), *const b = x.b.data();
    if (routine == product::gemm)
        gemm<T>(x.in, 'N', 'T', n, n, k, x.alpha, a, x.a.ld(), b, x.b.ld(), 0, c.data(), c.ld());
    if (routine == product::symm)
        symm<T>(x.in, 'L', x.uplo, n, n, x.alpha, a, x.a.ld(), b, x.b.ld(), 0, c.data(), c.ld());
    if (routine == product::syrk)
        syrk<T>(x.in, x.uplo, 'N', n, k, x.alpha, a, x.a.ld(), 0, c.data(), c.ld());
    if (routine == product::syr2k)
        syr2k<T>(x.in, x.uplo, 'N', n, k, x.alpha, a, x.a.ld(), b, x.b.ld(), 0, c.data(), c.ld());
    if (routine == product::gemmtr)
        gemmtr<T>(x.in, x.uplo, 'N', 'T', n, k, x.alpha, a, x.a.ld(), b, x.b.ld(), 0, c.data(),
                  c.ld());
}

template <class T>
long double expected_at(product routine, const operands<T>& x, std::size_t i, std::size_t j) {
    long double sum = 0;
    for (std::size_t p = 0; p < x.a.cols(); ++p) {
        const long double first = x.a(i, p);
        sum += first * (routine == product::symm   ? x.b(p, j)
                        : routine == product::syrk ? x.a(j, p)
                                                   : x.b(j, p));
        if (routine == product::syr2k) sum += static_cast<long double>(x.b(i, p)) * x.a(j, p);
    }
    return x.alpha * sum;
}

template <class T>
void make_positive_and_symmetric(operands<T>& x, bool symmetric) {
    for (std::size_t i = 0; i < x.a.rows(); ++i)
        for (std::size_t j = 0; j < x.a.cols(); ++j) {
            x.b(i, j) = std::abs(x.b(i, j));
            x.a(i, j) = std::abs(x.a(i, j));
            if (symmetric && j < i) x.a(i, j) = x.a(j, i);
        }
}

// Positive elements, so that no sum cancels.
TYPED_TEST(range_of_level3, products_reach_what_can_be_represented) {
    using T = TypeParam;
    for (int done = 0; done < 2000;) {
        const auto routine = static_cast<product>(this->pick(0, 4));
        const int of_alpha = this->any_exponent(), of_a = this->any_exponent();
        const int of_b = routine == product::syrk ? of_a : this->any_exponent();
        const int of_result = of_alpha + of_a + of_b;
        if (!this->fits(of_result - 6) || !this->fits(of_result + 8) || !this->fits(of_a - 4) ||
            !this->fits(of_b - 4))
            continue;
        const auto n = std::size_t(this->pick(1, 70));
        const std::size_t k = routine == product::symm ? n : std::size_t(this->pick(1, 70));
        const language in = this->pick_language();
        operands<T> x = {in, this->pick({'L', 'U'}), std::abs(this->number(of_alpha)),
                         this->matrix(in, n, k, of_a), this->matrix(in, n, k, of_b)};
        make_positive_and_symmetric(x, routine == product::symm);
        stored<T> c(in, n, n);
        call(routine, x, c);
        const bool whole = routine == product::gemm || routine == product::symm;
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j) {
                if (!whole && !in_triangle(x.uplo, i, j)) continue;
                const long double expected = expected_at(routine, x, i, j);
                const long double unit = std::numeric_limits<T>::epsilon();
                ASSERT_LE(std::abs(c(i, j) - expected),
                          static_cast<long double>(2 * k + 8) * unit * expected)
                    << "routine " << int(routine) << ", " << n << " x " << k << ", exponents "
                    << of_alpha << ", " << of_a << ", " << of_b << ": " << i << ", " << j;
            }
        ++done;
    }
}

// A case that a user reported.
TYPED_TEST(range_of_level3, alpha_is_not_multiplied_into_a_small_triangle) {
    using T = TypeParam;
    const T tiny = std::ldexp(T(1), least_exponent<T> / 2);
    for (const char side : {'L', 'R'}) {
        stored<T> t(language::fortran, 1, 1);
        stored<T> b(language::fortran, 1, 1);
        t(0, 0) = tiny * std::ldexp(T(1), least_exponent<T> / 4);
        b(0, 0) = std::ldexp(T(1), most_exponent<T>);
        const T expected = tiny * b(0, 0) * t(0, 0);
        triangular<T>(false, language::fortran, side, 'L', 'N', 'N', 1, 1, tiny, t.data(), t.ld(),
                      b.data(), b.ld());
        EXPECT_EQ(b(0, 0), expected);
        EXPECT_NE(expected, 0);
    }
}

}  // namespace

}  // namespace carat::blas::tested
