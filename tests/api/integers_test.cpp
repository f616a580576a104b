// Integer products are exact, or refused, on each of the three paths.
#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <limits>

#include "tests/api/matrices.hpp"

namespace {

using namespace carat;
using i32 = std::int32_t;
constexpr i32 least = std::numeric_limits<i32>::min();
constexpr i32 most = std::numeric_limits<i32>::max();

// beta e + alpha (a b) for a row and a column; `what` receives the message of a refusal.
struct answer {
    i32 value;
    std::string refused;
};

answer dot(const std::vector<i32>& a, const std::vector<i32>& b, double alpha = 1, double beta = 0,
           i32 e = 0) {
    i32 c = e;
    const matrix_view<i32> target(&c, 1, 1);
    try {
        matrix_product(scaled(alpha, matrix_view(a.data(), 1, a.size())),
                       matrix_view(b.data(), b.size(), 1), scaled(beta, target), target);
    } catch (const error& refused) {
        EXPECT_EQ(c, e) << "C was touched";
        EXPECT_EQ(refused.code(), error_code::overflow) << refused.what();
        return {c, refused.what()};
    }
    return {c, {}};
}

bool overflows(const answer& a) {
    return a.refused.find("does not fit") != std::string::npos;
}

TEST(integers, the_largest_and_smallest_results_fit_and_their_neighbours_do_not) {
    EXPECT_EQ(dot({most}, {1}).value, most);
    EXPECT_EQ(dot({least}, {1}).value, least);
    EXPECT_EQ(dot({46340}, {46340}).value, 46340 * 46340);
    EXPECT_TRUE(overflows(dot({46341}, {46341})));
    EXPECT_EQ(dot({1 << 16}, {-(1 << 15)}).value, least);
    EXPECT_TRUE(overflows(dot({1 << 16}, {1 << 15})));
    EXPECT_TRUE(overflows(dot({least}, {-1})));
    EXPECT_TRUE(overflows(dot({most, 1}, {1, 1})));
    EXPECT_EQ(dot({most, 1}, {1, -1}).value, most - 1);
}

TEST(integers, sums_may_leave_the_range_on_the_way) {
    EXPECT_EQ(dot({50000, -50000}, {50000, 50000}).value, 0);
    EXPECT_TRUE(overflows(dot({least, least}, {least, most}))) << "2^31";
    EXPECT_EQ(dot({least, least}, {least, most}, 1, 1, -1).value, most) << "2^31 - 1";
    // 3 x 2^62 passes 2^63 on the way to 0.
    const std::vector<i32> seven(7, least);
    EXPECT_EQ(dot(seven, {least, least, least, most, most, most, 3}, 1, 1, 5).value, 5);
}

TEST(integers, factors_count_and_must_be_whole) {
    EXPECT_EQ(dot({3}, {5}, -2).value, -30);
    EXPECT_TRUE(overflows(dot({1 << 20}, {1 << 10}, 2)));
    EXPECT_TRUE(overflows(dot({least, least}, {least, least}, double(least))));
    EXPECT_EQ(dot({0}, {0}, 1, -1, most).value, -most);
    EXPECT_TRUE(overflows(dot({0}, {0}, 1, 2, most)));
    EXPECT_TRUE(overflows(dot({}, {}, 1, -1, least))) << "K = 0 still scales E";
    i32 c = 1;
    const matrix_view<i32> one(&c, 1, 1);
    i32 d = 9;
    for (const double factor : {0.5, 0x1p40, std::numeric_limits<double>::quiet_NaN()}) {
        try {
            matrix_product(scaled(factor, one), one, matrix_view<i32>(&d, 1, 1));
            ADD_FAILURE() << factor << " was accepted";
        } catch (const error& refused) {
            EXPECT_EQ(refused.code(), error_code::invalid_argument);
            EXPECT_NE(std::string(refused.what()).find("whole numbers"), std::string::npos);
            const bool told =
                std::string(refused.what()).find("is 0.5 and beta") != std::string::npos;
            EXPECT_EQ(told, factor == 0.5) << refused.what();
        }
        EXPECT_EQ(d, 9);
    }
}

// Products whose sizes and magnitudes take each path, compared with 64-bit sums.
TEST(integers, all_ways_agree_with_wide_sums) {
    int fitting = 0;
    int refused = 0;
    for (const std::size_t size : {3u, 40u, 180u}) {
        for (const int magnitude : {3, 2000, 10000, 40000}) {
            const auto a = test::whole_matrix<i32>(size, size + 1, magnitude, 1);
            const auto b = test::whole_matrix<i32>(size + 1, size, magnitude, 2);
            const auto e = test::whole_matrix<i32>(size, size, magnitude, 3);
            const test::sums product(a, b);
            bool fits = true;
            matrix<i32> wanted(size, size);
            for (std::size_t i = 0; i < size; ++i) {
                for (std::size_t j = 0; j < size; ++j) {
                    const auto sum = static_cast<std::int64_t>(product(i, j)) + e(i, j);
                    fits = fits && sum >= least && sum <= most;
                    wanted(i, j) = static_cast<i32>(sum);
                }
            }
            matrix<i32> c = e;
            try {
                matrix_product(cpu{2}, a, transposed(transposed(b)), c, c);
                EXPECT_TRUE(fits);
                EXPECT_TRUE(test::same_bits(c, wanted)) << size << " " << magnitude;
                ++fitting;
            } catch (const error&) {
                EXPECT_FALSE(fits) << size << " " << magnitude;
                EXPECT_TRUE(test::same_bits(c, e));
                ++refused;
            }
        }
    }
    EXPECT_EQ(fitting + refused, 12);
    EXPECT_GE(fitting, 6);
    EXPECT_GE(refused, 2);
}

template <class A, class B>
answer dot_of_bytes(std::size_t k, A of_a, B of_b, A last) {
    matrix<A> a(1, k);
    matrix<B> b(k, 1);
    for (std::size_t p = 0; p < k; ++p) {
        a(0, p) = p + 1 < k ? of_a : last;
        b(p, 0) = of_b;
    }
    matrix<i32> c(1, 1);
    c(0, 0) = 5;
    try {
        matrix_product(a, b, c);
    } catch (const error& refused) {
        EXPECT_EQ(c(0, 0), 5) << "C was touched";
        EXPECT_EQ(refused.code(), error_code::overflow) << refused.what();
        return {5, refused.what()};
    }
    return {c(0, 0), {}};
}

// Around the depths from which the types alone prove nothing.
TEST(integers, sums_of_bytes_end_where_32_bits_do) {
    using i8 = std::int8_t;
    using u8 = std::uint8_t;
    EXPECT_EQ((dot_of_bytes<i8, i8>(131071, -128, -128, -128).value), 131071 * 16384);
    EXPECT_TRUE(overflows(dot_of_bytes<i8, i8>(131072, -128, -128, -128)));
    EXPECT_EQ((dot_of_bytes<i8, i8>(131072, -128, -128, 0).value), 131071 * 16384);
    EXPECT_EQ((dot_of_bytes<u8, i8>(65793, 255, -128, 255).value), 65793 * -32640);
    EXPECT_TRUE(overflows(dot_of_bytes<u8, i8>(65794, 255, -128, 255)));
    EXPECT_EQ((dot_of_bytes<i8, u8>(65794, -128, 255, 0).value), 65793 * -32640);
    EXPECT_EQ((dot_of_bytes<u8, u8>(33025, 255, 255, 255).value), 33025 * 65025);
    EXPECT_TRUE(overflows(dot_of_bytes<u8, u8>(33026, 255, 255, 255)));
}

// What is wrong in C = 2 E - 3 A B over whole ranges of A and B.
template <class A, class B>
std::string wrong_products_of_bytes(std::size_t m, std::size_t n, std::size_t k) {
    matrix<A> a(m, k);
    matrix<B> b(k, n);
    matrix<i32> e(m, n), c(m, n);
    for (std::size_t p = 0; p < k; ++p) {
        for (std::size_t i = 0; i < m; ++i) a(i, p) = static_cast<A>(i * 37 + p * 101);
        for (std::size_t j = 0; j < n; ++j) b(p, j) = static_cast<B>(j * 53 + p * 29);
    }
    for (std::size_t i = 0; i < m; ++i)
        for (std::size_t j = 0; j < n; ++j) e(i, j) = static_cast<i32>(i * n + j) - 100;
    matrix_product(scaled(-3, a), b, scaled(2, e), c);
    const test::sums product(a, b);
    return test::wrong_in(
        c, [&](std::size_t i, std::size_t j) { return 2 * e(i, j) - 3 * product(i, j); });
}

TEST(integers, bytes_of_either_kind) {
    using i8 = std::int8_t;
    using u8 = std::uint8_t;
    int executed = 0;
    for (const std::size_t size : {1u, 17u, 70u, 150u}) {
        EXPECT_EQ((wrong_products_of_bytes<i8, i8>(size, size + 1, size + 3)), "") << size;
        EXPECT_EQ((wrong_products_of_bytes<u8, i8>(size, size + 1, size + 3)), "") << size;
        EXPECT_EQ((wrong_products_of_bytes<i8, u8>(size, size + 1, size + 3)), "") << size;
        EXPECT_EQ((wrong_products_of_bytes<u8, u8>(size, size + 1, size + 3)), "") << size;
        ++executed;
    }
    EXPECT_EQ(executed, 4);
}

// Elements of the whole range of A, from a seed.
template <class A>
matrix<A> any_bytes(std::size_t rows, std::size_t cols, unsigned seed) {
    matrix<A> m(rows, cols);
    for (std::size_t i = 0; i < rows * cols; ++i)
        m.data()[i] = static_cast<A>((seed = seed * 1103515245u + 12345u) >> 16);
    return m;
}

// Compares with the unprepared product on either side and in every layout.
template <class A, class B>
int check_prepared_bytes() {
    int executed = 0;
    for (const auto& [m, n, k] :
         {std::array<std::size_t, 3>{1, 1, 1}, {1, 300, 200}, {33, 70, 90}, {100, 1, 65}})
        for (unsigned how = 0; how < 8; ++how, ++executed) {
            const auto of_a = any_bytes<A>((how & 1u) == 0 ? m : k, (how & 1u) == 0 ? k : m, 1);
            const auto of_b = any_bytes<B>((how & 2u) == 0 ? k : n, (how & 2u) == 0 ? n : k, 2);
            const auto a = (how & 1u) == 0 ? of_a.view() : transposed(of_a.view());
            const auto b = (how & 2u) == 0 ? of_b.view() : transposed(of_b.view());
            matrix<i32> wanted(m, n), c(m, n);
            const auto e = test::whole_matrix<i32>(m, n, 1000, 3);
            matrix_product(scaled(-3, a), b, scaled(2, e), wanted);
            const cpu on{1 + static_cast<int>(how % 3)};
            if ((how & 4u) == 0)
                matrix_product(on, a, prepare(scaled(-3, b)), scaled(2, e), c);
            else
                matrix_product(on, prepare(a, side::left), scaled(-3, b), scaled(2, e), c);
            EXPECT_TRUE(test::same_bits(c, wanted)) << m << " " << n << " " << k << " " << how;
        }
    return executed;
}

TEST(integers, prepared_bytes) {
    using i8 = std::int8_t;
    using u8 = std::uint8_t;
    EXPECT_EQ((check_prepared_bytes<i8, i8>()), 32);
    EXPECT_EQ((check_prepared_bytes<u8, i8>()), 32);
    EXPECT_EQ((check_prepared_bytes<i8, u8>()), 32);
    EXPECT_EQ((check_prepared_bytes<u8, u8>()), 32);
}

// Only the largest magnitude of a prepared operand is known, so no more is guaranteed.
TEST(integers, prepared_bytes_are_refused_where_sums_may_not_fit) {
    constexpr std::size_t k = 140000;
    matrix<std::int8_t> a(1, k), b(k, 1);
    std::fill_n(a.data(), k, std::int8_t{-128});
    std::fill_n(b.data(), k, std::int8_t{1});
    matrix<i32> c(1, 1);
    matrix_product(a, prepare(b), c);
    EXPECT_EQ(c(0, 0), -128 * static_cast<i32>(k));
    b(0, 0) = -128;
    c(0, 0) = 5;
    test::expect_refusal([&] { matrix_product(a, prepare(b), c); }, error_code::overflow,
                         {"prepared", "does not fit", "C is unchanged", "the matrix itself"});
    EXPECT_EQ(c(0, 0), 5);
    matrix_product(a, b, c);
    EXPECT_EQ(c(0, 0), -128 * (static_cast<i32>(k) - 1) + 128 * 128);
}

// The second product's i32 sums must be checked one by one; a bound proves the others.
TEST(integers, batches) {
    const auto b = test::whole_matrix<i32>(30, 20, 50, 1);
    matrix<i32> a = test::whole_matrix<i32>(3 * 40, 30, 50, 2);
    a(40, 0) = 1 << 24;
    const auto e = test::whole_matrix<i32>(3 * 40, 20, 50, 3);
    matrix<i32> c(3 * 40, 20), wanted(3 * 40, 20);
    const auto of = [](auto& m) {
        return strided(m.view().block(0, 0, 40, m.cols()), 3,
                       static_cast<std::ptrdiff_t>(40 * m.cols()));
    };
    matrix_product(a, b, scaled(-2, e), wanted);
    matrix_products(cpu{2}, of(a), b, scaled(-2, of(e)), of(c));
    EXPECT_TRUE(test::same_bits(c, wanted));
    const auto bytes = any_bytes<std::uint8_t>(3 * 40, 30, 4);
    const auto weights = any_bytes<std::int8_t>(30, 20, 5);
    matrix_product(bytes, weights, wanted);
    matrix_products(of(bytes), weights, of(c));
    EXPECT_TRUE(test::same_bits(c, wanted));
    test::poison(c);
    matrix_products(of(bytes), prepare(weights), of(c));
    EXPECT_TRUE(test::same_bits(c, wanted));
}

TEST(integers, a_batch_is_refused_before_any_product_is_written) {
    matrix<i32> a = test::whole_matrix<i32>(3 * 4, 5, 50, 1);
    const auto b = test::whole_matrix<i32>(5, 6, 50, 2);
    a(9, 2) = std::numeric_limits<i32>::max();
    matrix<i32> c(3 * 4, 6);
    test::poison(c);
    const matrix<i32> before = c;
    const auto of = [](auto& m) {
        return strided(m.view().block(0, 0, 4, m.cols()), 3,
                       static_cast<std::ptrdiff_t>(4 * m.cols()));
    };
    test::expect_refusal([&] { matrix_products(of(a), b, of(c)); }, error_code::overflow,
                         {"matrix_products: product 2: element (1, ", "C is unchanged"});
    test::expect_refusal([&] { matrix_products(scaled(0.5, of(a)), b, of(c)); },
                         error_code::invalid_argument, {"matrix_products: ", "whole numbers"});
    EXPECT_TRUE(test::same_bits(c, before));
}

TEST(integers, the_message_names_the_element) {
    matrix<i32> a(2, 1), b(1, 3), c(2, 3);
    a(1, 0) = 1 << 20;
    b(0, 2) = 1 << 20;
    try {
        matrix_product(a, b, c);
        FAIL();
    } catch (const error& e) {
        EXPECT_NE(std::string(e.what()).find("element (1, 2)"), std::string::npos) << e.what();
    }
}

}  // namespace
