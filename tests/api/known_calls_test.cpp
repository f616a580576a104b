// A thread remembers what it has checked and planned of small products; any next call must give
// what a first call would.
#include "api/known_calls.hpp"

#include <gtest/gtest.h>
#include <thread>
#include <vector>

#include "tests/api/matrices.hpp"

namespace {

using namespace carat;
using test::expected;

constexpr std::size_t m = 5, n = 6, k = 7;

template <class T>
struct operands {
    matrix<T> a = test::whole_matrix<T>(m, k, 9, 1);
    matrix<T> b = test::whole_matrix<T>(k, n, 9, 2);
    matrix<T> c = test::whole_matrix<T>(m, n, 9, 3);
};

template <class T>
class known_calls_of : public testing::Test {};
using element_types = testing::Types<double, float>;
TYPED_TEST_SUITE(known_calls_of, element_types);

// Otherwise the tests below would only cover first calls.
TYPED_TEST(known_calls_of, are_kept_when_their_size_comes_twice) {
    operands<TypeParam> x;
    const cpu where{1};
    std::thread([&] {  // which knows no calls yet
        const auto is_known = [&] {
            return api::multiply_as_known(where, detail::erase(x.a), detail::erase(x.b), nullptr,
                                          detail::erase(x.c));
        };
        EXPECT_FALSE(is_known());
        matrix_product(where, x.a, x.b, x.c);
        EXPECT_FALSE(is_known());
        matrix_product(where, x.a, x.b, x.c);
        EXPECT_TRUE(is_known());
    })
        .join();
}

TYPED_TEST(known_calls_of, other_addresses) {
    using T = TypeParam;
    for (unsigned seed = 1; seed < 5; ++seed) {
        const auto a = test::whole_matrix<T>(m, k, 9, seed);
        const auto b = test::whole_matrix<T>(k, n, 9, seed + 10);
        matrix<T> c = test::whole_matrix<T>(m, n, 9, seed + 20);
        const auto wanted = expected<T>(1, a, b, 1, c);
        matrix_product(a, b, c, c);
        EXPECT_TRUE(test::same_values(c, wanted)) << seed;
    }
}

TYPED_TEST(known_calls_of, other_factors) {
    using T = TypeParam;
    const operands<T> x;
    for (int again = 0; again < 4; ++again)
        for (const double alpha : {1.0, 2.0, -1.0, 0.0})
            for (const double beta : {1.0, 0.0, 3.0}) {
                matrix<T> c = x.c;
                if (beta == 0) test::poison(c);
                matrix_product(scaled(alpha, x.a), x.b, scaled(beta, c), c);
                EXPECT_TRUE(test::same_values(c, expected<T>(alpha, x.a, x.b, beta, x.c)))
                    << alpha << ' ' << beta;
            }
}

TYPED_TEST(known_calls_of, another_e) {
    using T = TypeParam;
    const operands<T> x;
    const auto other = test::whole_matrix<T>(m, n, 9, 4);
    matrix<T> c = x.c;
    for (int again = 0; again < 3; ++again) matrix_product(x.a, x.b, c, c);
    matrix_product(x.a, x.b, other, c);
    EXPECT_TRUE(test::same_values(c, expected<T>(1, x.a, x.b, 1, other)));
    matrix_product(x.a, x.b, c);
    EXPECT_TRUE(test::same_values(c, expected<T>(1, x.a, x.b, 0, other)));
}

// Sizes are the same, every pair of layouts differs.
TYPED_TEST(known_calls_of, other_layouts) {
    using T = TypeParam;
    constexpr std::size_t size = 5;
    const auto a = test::whole_matrix<T>(size, size, 9, 1);
    const auto b = test::whole_matrix<T>(size, size, 9, 2);
    const auto turned = [](const matrix<T>& x, bool turn) {
        return turn ? transposed(x.view()) : x.view();
    };
    for (int again = 0; again < 4; ++again)
        for (const int turns : {0, 1, 2, 3, 4, 5, 6, 7}) {
            const auto in_a = turned(a, (turns & 1) != 0), in_b = turned(b, (turns & 2) != 0);
            matrix<T> c(size, size);
            const bool turns_c = (turns & 4) != 0;
            matrix_product(in_a, in_b, turns_c ? transposed(c.view()) : c.view());
            const auto wanted = turns_c ? expected<T>(1, transposed(in_b), transposed(in_a), 0, a)
                                        : expected<T>(1, in_a, in_b, 0, a);
            EXPECT_TRUE(test::same_values(c, wanted)) << turns;
        }
}

// More of them than a thread remembers, each called twice.
TYPED_TEST(known_calls_of, many_sizes) {
    using T = TypeParam;
    for (int again = 0; again < 4; ++again)
        for (std::size_t size = 1; size < 60; ++size) {
            const auto a = test::whole_matrix<T>(size, 3, 9, 1);
            const auto b = test::whole_matrix<T>(3, 61 - size, 9, 2);
            matrix<T> c(size, 61 - size);
            matrix_product(a, b, c);
            EXPECT_TRUE(test::same_values(c, expected<T>(1, a, b, 0, c))) << size;
        }
}

TYPED_TEST(known_calls_of, what_was_right_may_be_wrong_now) {
    using T = TypeParam;
    using enum error_code;
    std::vector<T> memory(400, T{1});
    const auto at = [&](std::size_t place, std::size_t rows, std::size_t cols) {
        return matrix_view<T>(memory.data() + place, rows, cols);
    };
    const auto a = at(0, m, k), b = at(100, k, n), c = at(200, m, n);
    for (int again = 0; again < 3; ++again) matrix_product(a, b, c);
    const std::vector<T> before = memory;
    T* const null = nullptr;
    test::expect_refusal([&] { matrix_product(a, b, at(34, m, n)); }, aliasing, {"C overlaps A"});
    test::expect_refusal([&] { matrix_product(a, b, at(141, m, n)); }, aliasing, {"C overlaps B"});
    test::expect_refusal([&] { matrix_product(a, b, matrix_view<T>(null, m, n)); },
                         invalid_argument, {"C is 5 x 6", "null"});
    test::expect_refusal([&] { matrix_product(matrix_view<T>(null, m, k), b, c); },
                         invalid_argument, {"A is 5 x 7", "null"});
    test::expect_refusal([&] { matrix_product(a, at(100, k + 1, n), c); }, size_mismatch,
                         {"A is 5 x 7"});
    test::expect_refusal([&] { matrix_product(a, b, c, at(200, m, n - 1)); }, size_mismatch,
                         {"C is 5 x 5"});
    test::expect_refusal([&] { matrix_product(cpu{-1}, a, b, c); }, invalid_argument, {"-1"});
    EXPECT_EQ(memory, before);
}

// Blocks of columns of one matrix: their spans overlap, their elements don't.
TYPED_TEST(known_calls_of, blocks_of_one_matrix) {
    using T = TypeParam;
    for (int again = 0; again < 4; ++again) {
        matrix<T> all = test::whole_matrix<T>(k, k + 2 * n, 9, 5);
        const auto a = all.view().block(0, 0, m, k), b = all.view().block(0, k, k, n);
        const auto c = all.view().block(0, k + n, m, n);
        const auto wanted = expected<T>(1, a, b, 0, c);
        matrix_product(a, b, c);
        for (std::size_t i = 0; i < m; ++i)
            for (std::size_t j = 0; j < n; ++j) EXPECT_EQ(c(i, j), wanted(i, j));
    }
}

TYPED_TEST(known_calls_of, each_thread_has_its_own) {
    using T = TypeParam;
    std::vector<std::thread> threads;
    for (unsigned seed = 1; seed < 5; ++seed)
        threads.emplace_back([=] {
            const auto a = test::whole_matrix<T>(m + seed, k, 9, seed);
            const auto b = test::whole_matrix<T>(k, n, 9, seed + 10);
            for (int again = 0; again < 100; ++again) {
                matrix<T> c(m + seed, n);
                matrix_product(a, b, c);
                EXPECT_TRUE(test::same_values(c, expected<T>(1, a, b, 0, c)));
            }
        });
    for (std::thread& one : threads) one.join();
}

}  // namespace
