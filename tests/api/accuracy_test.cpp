// Every entry is within the bound for any order of summation, |C - Cref| <= gamma_{k+3} (|alpha|
// |A||B| + |beta| |E|) (Higham 2002, section 3.5), compared with exact sums, and has the same bits
// for any number of threads.
#include <cmath>
#include <gtest/gtest.h>

#include "tests/api/matrices.hpp"

namespace {

using namespace carat;

template <class T>
class accuracy : public testing::Test {};
using floating_types = testing::Types<double, float>;
TYPED_TEST_SUITE(accuracy, floating_types);

TYPED_TEST(accuracy, is_within_the_bound_in_every_entry) {
    using T = TypeParam;
    int checked = 0;
    for (const auto& [m, n, k] : {std::array<std::size_t, 3>{1, 1, 5000},
                                  {50, 60, 1500},
                                  {170, 180, 190},
                                  {3, 500, 70},
                                  {500, 3, 70}}) {
        const auto a = test::random_matrix<T>(m, k, 1);
        const auto b = test::random_matrix<T>(k, n, 2);
        const auto e = test::random_matrix<T>(m, n, 3);
        matrix<T> c(m, n);
        matrix_product(scaled(-1.5, a), b, scaled(0.7, e), c);
        const long double unit = std::numeric_limits<T>::epsilon() / 2;
        const long double gamma = (k + 3) * unit / (1 - (k + 3) * unit);
        const test::sums exact(a, b);
        for (std::size_t i = 0; i < m; ++i)
            for (std::size_t j = 0; j < n; ++j, ++checked) {
                const long double of_e = static_cast<long double>(T(0.7)) * e(i, j);
                const long double sum = -1.5L * exact(i, j) + of_e;
                const long double size = 1.5L * exact.magnitude(i, j) + std::abs(of_e);
                ASSERT_LE(std::abs(c(i, j) - sum), gamma * size) << i << ", " << j;
            }
    }
    EXPECT_EQ(checked, 1 + 3000 + 30600 + 1500 + 1500);
}

TYPED_TEST(accuracy, any_number_of_threads_gives_the_same_bits) {
    using T = TypeParam;
    int compared = 0;
    for (const auto& [m, n, k] : {std::array<std::size_t, 3>{300, 290, 310},
                                  {2000, 9, 700},
                                  {7, 2100, 600},
                                  {64, 64, 3000},
                                  {513, 257, 129}}) {
        const auto a = test::random_matrix<T>(m, k, 1);
        const auto b = test::random_matrix<T>(k, n, 2);
        matrix<T> serial(m, n);
        matrix_product(cpu{1}, a, b, serial);
        for (const int threads : {0, 2, 3, 4, 7, 16}) {
            matrix<T> c(m, n);
            matrix_product(cpu{threads}, a, b, c);
            EXPECT_TRUE(test::same_bits(c, serial)) << m << "x" << n << "x" << k << " " << threads;
            ++compared;
        }
    }
    EXPECT_EQ(compared, 30);
}

}  // namespace
