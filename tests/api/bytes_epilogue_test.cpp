// Products of bytes finished as floats, dequantised and quantised again, compared entry by entry
// with the same steps written out; saturation, ties and NaN; on every path.
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <vector>

#include <carat/batch.hpp>

#include "tests/api/matrices.hpp"

namespace {

using namespace carat;
using i8 = std::int8_t;
using u8 = std::uint8_t;

// Rounds to nearest even, saturates, and turns NaN into 0.
template <class Out>
Out stored(float x) {
    if constexpr (sizeof(Out) != 1) {
        return Out(x);
    } else {
        if (std::isnan(x)) return 0;
        using limits = std::numeric_limits<Out>;
        return static_cast<Out>(
            std::clamp(std::nearbyint(x), float(limits::min()), float(limits::max())));
    }
}

template <class T>
matrix<T> bytes(std::size_t rows, std::size_t cols, unsigned seed) {
    matrix<T> m(rows, cols);
    std::mt19937 engine(seed);
    std::uniform_int_distribution<int> any(std::numeric_limits<T>::min(),
                                           std::numeric_limits<T>::max());
    for (std::size_t i = 0; i < rows * cols; ++i) m.data()[i] = static_cast<T>(any(engine));
    return m;
}

template <class I, class J, class O>
struct operand_types {
    using a = I;
    using b = J;
    using c = O;
};

template <class Types>
class bytes_epilogue : public testing::Test {};
using byte_types = testing::Types<operand_types<i8, i8, float>, operand_types<u8, i8, bf16>,
                                  operand_types<i8, u8, f16>, operand_types<i8, i8, i8>,
                                  operand_types<u8, i8, u8>, operand_types<u8, u8, i8>>;
TYPED_TEST_SUITE(bytes_epilogue, byte_types);

struct shape {
    std::size_t m, n, k;
};
constexpr shape shapes[] = {{1, 1, 1},    {7, 5, 3},    {33, 31, 40},    {1, 90, 80},
                            {90, 1, 200}, {65, 70, 64}, {130, 49, 5000}, {4, 5, 0}};

enum class residual { none, other, itself };

// Scales of rows, then of columns, bias, optional relu, E: each step is rounded to float as the
// library specifies, the last together with the factor of E.
template <class Types>
void check(const shape& s, bool columns, residual kind, int threads) {
    using Out = typename Types::c;
    const auto a = bytes<typename Types::a>(s.m, s.k, 1);
    const auto b = bytes<typename Types::b>(s.k, s.n, 2);
    const auto e = test::whole_matrix<Out>(s.m, s.n, 9, 3);
    std::vector<float> of_rows(s.m), of_cols(s.n), add(s.n);
    for (std::size_t i = 0; i < s.m; ++i) of_rows[i] = 0.001F * float(1 + i % 7);
    for (std::size_t j = 0; j < s.n; ++j) of_cols[j] = 0.3F * float(1 + j % 5);
    for (std::size_t j = 0; j < s.n; ++j) add[j] = float(j % 11) - 5.5F;
    std::vector<Out> memory(s.m * s.n);
    const auto c = columns ? column_major(memory.data(), s.m, s.n, s.m)
                           : matrix_view<Out>(memory.data(), s.m, s.n);
    for (std::size_t i = 0; i < s.m; ++i)
        for (std::size_t j = 0; j < s.n; ++j) c(i, j) = kind == residual::itself ? e(i, j) : Out(1);
    const auto last = scale(of_rows, by::row) | scale(of_cols) | bias(add) | relu;
    const cpu where = {.threads = threads};
    if (kind == residual::none) matrix_product(where, scaled(0.5, a), b, c, last);
    if (kind == residual::other) matrix_product(where, scaled(0.5, a), b, scaled(-3, e), c, last);
    if (kind == residual::itself) matrix_product(where, scaled(0.5, a), b, scaled(-3, c), c, last);
    const test::sums product(a, b);
    ASSERT_EQ(test::wrong_in(c,
                             [&](std::size_t i, std::size_t j) {
                                 float x = float(product(i, j)) * 0.5F;
                                 x = x * of_rows[i];
                                 x = x * of_cols[j];
                                 x = x + add[j];
                                 x = std::max(x, 0.0F);
                                 if (kind != residual::none) x = x - 3 * float(e(i, j));
                                 return stored<Out>(x);
                             }),
              "")
        << s.m << "x" << s.n << "x" << s.k;
}

TYPED_TEST(bytes_epilogue, is_every_step_on_the_rounded_sum) {
    int executed = 0;
    for (const shape& s : shapes)
        for (const bool columns : {false, true})
            for (const residual kind : {residual::none, residual::other, residual::itself})
                check<TypeParam>(s, columns, kind, 1 + executed++ % 3);
    EXPECT_EQ(executed, 8 * 2 * 3);
}

TYPED_TEST(bytes_epilogue, is_the_same_prepared_and_in_batches) {
    using Out = typename TypeParam::c;
    const auto a = bytes<typename TypeParam::a>(60, 90, 1);
    const auto b = bytes<typename TypeParam::b>(90, 70, 2);
    matrix<Out> plain(60, 70), ready(60, 70), batch(60, 70);
    const auto last = scale(0.01) | silu;
    matrix_product(a, b, plain, last);
    matrix_product(a, prepare(b), ready, last);
    EXPECT_TRUE(test::same_bits(plain, ready));
    matrix_product(prepare(a, side::left), b, ready, last);
    EXPECT_TRUE(test::same_bits(plain, ready));
    matrix_products(strided(a.view().block(0, 0, 20, 90), 3, 20 * 90), b,
                    strided(batch.view().block(0, 0, 20, 70), 3, 20 * 70), last);
    EXPECT_TRUE(test::same_bits(plain, batch));
}

// Ties to even, the ends of the range, beyond them, and NaN.
template <class Out>
void check_rounding(const std::vector<std::pair<float, int>>& cases) {
    matrix<i8> one(1, 1), ones(1, cases.size());
    one(0, 0) = 1;
    std::fill_n(ones.data(), cases.size(), i8{1});
    std::vector<float> times(cases.size());
    for (std::size_t j = 0; j < cases.size(); ++j) times[j] = cases[j].first;
    matrix<Out> c(1, cases.size());
    matrix_product(one, ones, c, scale(times));
    for (std::size_t j = 0; j < cases.size(); ++j)
        EXPECT_EQ(int(c(0, j)), cases[j].second) << cases[j].first;
}

TEST(bytes_epilogue, rounds_to_even_and_saturates) {
    const float none = std::numeric_limits<float>::quiet_NaN();
    const float endless = std::numeric_limits<float>::infinity();
    check_rounding<i8>({{0.5F, 0},
                        {1.5F, 2},
                        {2.5F, 2},
                        {-0.5F, 0},
                        {-1.5F, -2},
                        {-2.5F, -2},
                        {126.5F, 126},
                        {127.4F, 127},
                        {127.5F, 127},
                        {1e9F, 127},
                        {-128.5F, -128},
                        {-127.5F, -128},
                        {-1e30F, -128},
                        {none, 0},
                        {endless, 127},
                        {-endless, -128},
                        {0.4999999F, 0},
                        {3.1e-39F, 0},
                        {-126.5F, -126}});
    check_rounding<u8>({{0.5F, 0},
                        {1.5F, 2},
                        {-0.4F, 0},
                        {-5, 0},
                        {254.5F, 254},
                        {255.4F, 255},
                        {255.5F, 255},
                        {300, 255},
                        {none, 0},
                        {endless, 255},
                        {-endless, 0}});
}

// Sums have 32 bits, are exact, and are rounded to float once.
TEST(bytes_epilogue, has_true_sums_or_none) {
    constexpr std::size_t k = 131071;
    matrix<i8> a(1, k), b(k, 1);
    std::fill_n(a.data(), k, i8{-128});
    std::fill_n(b.data(), k, i8{-128});
    matrix<float> c(1, 1);
    matrix_product(a, b, c);
    EXPECT_EQ(c(0, 0), float(std::int64_t{k} * 128 * 128));
    matrix<i8> long_a(1, k + 1), long_b(k + 1, 1);
    std::fill_n(long_a.data(), k + 1, i8{-127});
    std::fill_n(long_b.data(), k + 1, i8{127});
    matrix_product(long_a, long_b, c);
    EXPECT_EQ(c(0, 0), float(-std::int64_t{k + 1} * 127 * 127));
    std::fill_n(long_a.data(), k + 1, i8{-128});
    std::fill_n(long_b.data(), k + 1, i8{-128});
    c(0, 0) = 7;
    test::expect_refusal([&] { matrix_product(long_a, long_b, c, relu); }, error_code::overflow,
                         {"matrix_product", "K = 131072", "cut K"});
    test::expect_refusal([&] { matrix_products(long_a, long_b, strided(c, 1, 0)); },
                         error_code::overflow, {"matrix_products: product 0", "cut K"});
    EXPECT_EQ(c(0, 0), 7);
}

}  // namespace
