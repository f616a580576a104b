// Epilogues: whole numbers, which every type holds, through all steps, paths, layouts and kinds of
// E; activations against long double; what must not be read; and bad values.
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <string>

#include "tests/api/matrices.hpp"
#include "tests/support/guarded.hpp"

namespace {

using namespace carat;

using test::types;

template <class Pair>
class epilogues : public testing::Test {};
using all_types =
    testing::Types<types<double, double>, types<float, float>, types<f16, f16>, types<bf16, bf16>,
                   types<bf16, float>, types<f16, float>, types<float, bf16>, types<float, f16>,
                   types<std::int8_t, float>, types<std::int8_t, bf16>, types<std::int8_t, f16>>;
TYPED_TEST_SUITE(epilogues, all_types);

struct shape {
    std::size_t m, n, k;
};

// Direct, packed, thin and few rows; more depth than a block; edges of tiles; nothing.
constexpr shape shapes[] = {{1, 1, 1},     {7, 5, 3},      {33, 31, 40},   {1, 90, 80},
                            {90, 1, 80},   {165, 170, 60}, {130, 49, 700}, {1100, 2, 700},
                            {3, 900, 900}, {0, 4, 3},      {4, 0, 3},      {4, 5, 0}};

enum class order { rows, columns, gaps };

// A C in memory of its own, of which what lies between its elements must not change.
template <class T>
struct target {
    target(std::size_t rows, std::size_t cols, order how)
        : memory((rows + 2) * (cols + 2) * 4, T(-77.0)), cols_(cols), rows_(rows), how_(how) {}
    [[nodiscard]] matrix_view<T> view() {
        if (how_ == order::rows) return {memory.data(), rows_, cols_};
        if (how_ == order::columns) return column_major(memory.data(), rows_, cols_, rows_ + 1);
        return {memory.data() + 1, rows_, cols_, 2, static_cast<std::ptrdiff_t>(2 * rows_ + 1)};
    }
    std::vector<T> memory;

  private:
    std::size_t cols_;
    std::size_t rows_;
    order how_;
};

enum class residual { none, other, itself };

constexpr auto position = [](auto x, std::size_t i, std::size_t j) {
    return x + static_cast<decltype(x)>((2 * i + j) % 3);
};

// Whole numbers, and their product: once for all layouts of C.
template <class In, class Out>
struct operands {
    explicit operands(const shape& s)
        : a(test::whole_matrix<In>(s.m, s.k, 1, 1)),
          b(test::whole_matrix<In>(s.k, s.n, 1, 2)),
          e(test::whole_matrix<Out>(s.m, s.n, 9, 3)),
          product(a, b) {}
    matrix<In> a, b;
    matrix<Out> e;
    test::sums product;
};

// bias by column, scale by row, relu, the position, twice that, E.
template <class In, class Out>
void check_all_steps(const shape& s, const operands<In, Out>& of, order how, residual kind,
                     int threads) {
    using sums = std::conditional_t<sizeof(In) <= 2, float, In>;
    const auto& [a, b, e, product] = of;
    const auto add = test::whole_matrix<sums>(1, s.n, 3, 4);
    const auto times = test::whole_matrix<sums>(s.m, 1, 2, 5);
    const auto last = bias(std::span(add.data(), s.n)) |
                      scale(std::span(times.data(), s.m), by::row) | relu | each(position) |
                      scale(2);
    target<Out> c(s.m, s.n, how);
    target<Out> wanted = c;
    for (std::size_t i = 0; i < s.m; ++i) {
        for (std::size_t j = 0; j < s.n; ++j) {
            double sum =
                std::max(0.0, (-2 * product(i, j) + double(add(0, j))) * double(times(i, 0)));
            sum = 2 * position(sum, i, j);
            if (kind != residual::none) sum += 3 * double(e(i, j));
            wanted.view()(i, j) = Out(sum);
            c.view()(i, j) = kind == residual::itself ? e(i, j) : Out(std::nan(""));
        }
    }
    if (kind == residual::none)
        matrix_product(cpu{threads}, scaled(-2, a), b, c.view(), last);
    else if (kind == residual::other)
        matrix_product(cpu{threads}, scaled(-2, a), b, scaled(3, e), c.view(), last);
    else
        matrix_product(cpu{threads}, scaled(-2, a), b, scaled(3, c.view()), c.view(), last);
    for (std::size_t i = 0; i < c.memory.size(); ++i)
        ASSERT_EQ(double(c.memory[i]), double(wanted.memory[i]))
            << s.m << "x" << s.n << "x" << s.k << " order " << int(how) << " E " << int(kind)
            << " at " << i;
}

TYPED_TEST(epilogues, all_steps_in_their_order_and_then_e) {
    int executed = 0;
    for (const shape& s : shapes) {
        const operands<typename TypeParam::in, typename TypeParam::out> of(s);
        for (const order how : {order::rows, order::columns, order::gaps})
            for (const residual kind : {residual::none, residual::other, residual::itself}) {
                check_all_steps(s, of, how, kind, 1 + executed % 3);
                ++executed;
            }
    }
    EXPECT_EQ(executed, 12 * 3 * 3);
}

TYPED_TEST(epilogues, any_number_of_threads_gives_the_same_bits) {
    using In = typename TypeParam::in;
    using Out = typename TypeParam::out;
    for (const shape& s : {shape{300, 290, 310}, {2000, 9, 700}, {7, 1100, 600}}) {
        const auto a = test::random_matrix<In>(s.m, s.k, 1);
        const auto b = test::random_matrix<In>(s.k, s.n, 2);
        const auto e = test::random_matrix<Out>(s.m, s.n, 3);
        matrix<Out> serial = e;
        matrix_product(cpu{1}, a, b, serial, serial, gelu);
        for (const int threads : {2, 3, 7}) {
            matrix<Out> c = e;
            matrix_product(cpu{threads}, a, b, c, c, gelu);
            EXPECT_TRUE(test::same_bits(c, serial)) << s.m << " " << threads;
        }
    }
}

template <class T>
class activations : public testing::Test {};
using floating_types = testing::Types<double, float>;
TYPED_TEST_SUITE(activations, floating_types);

// x / (1 + e^-y): y = x is silu, and gelu has twice what its tanh is of.
long double y_of_silu(long double x) {
    return x;
}
long double y_of_gelu(long double x) {
    return 2 * std::sqrt(2 / 3.14159265358979323846L) * (x + 0.044715L * x * x * x);
}

// Checks x times 1, with x from -most to most: a few units in the last place, plus the effect of
// rounding y. If e^-y overflows, results below x / max may be 0.
template <class T, class Y>
void check_activation(const epilogue<>& f, const Y& y_of, double most) {
    constexpr std::size_t count = 5001;
    matrix<T> x(count, 1), one(1, 1), result(count, 1);
    one(0, 0) = 1;
    for (std::size_t i = 0; i < count; ++i)
        x(i, 0) = static_cast<T>(most * (2.0 * double(i) / (count - 1) - 1));
    matrix_product(x, one, result, f);
    const long double unit = std::numeric_limits<T>::epsilon();
    for (std::size_t i = 0; i < count; ++i) {
        const long double at = x(i, 0);
        const long double y = y_of(at);
        const long double exact = at / (1 + std::exp(-y));
        const long double units = 4 + 4 * std::abs(y) / (1 + std::exp(y));
        const long double lost = 2 * std::abs(at) / std::numeric_limits<T>::max();
        ASSERT_LE(std::abs(result(i, 0) - exact), units * unit * std::abs(exact) + lost) << at;
    }
}

TYPED_TEST(activations, are_accurate) {
    for (const double most : {0.01, 1.0, 8.0, 30.0}) {
        check_activation<TypeParam>(silu, y_of_silu, most);
        check_activation<TypeParam>(gelu, y_of_gelu, most);
    }
    // Where e^-y has no finite or no normal value.
    check_activation<TypeParam>(silu, y_of_silu, sizeof(TypeParam) == 8 ? 800 : 120);
    check_activation<TypeParam>(gelu, y_of_gelu, 1000);
}

TYPED_TEST(activations, keep_what_is_not_a_number) {
    using T = TypeParam;
    for (const std::size_t size : {3u, 40u}) {
        auto a = test::random_matrix<T>(size, size, 1);
        const auto b = test::random_matrix<T>(size, size, 2);
        a(1, 0) = std::numeric_limits<T>::quiet_NaN();
        for (const auto& f : {relu, gelu, silu, scale(0)}) {
            matrix<T> c(size, size);
            matrix_product(a, b, c, f);
            for (std::size_t i = 0; i < size; ++i)
                for (std::size_t j = 0; j < size; ++j)
                    EXPECT_EQ(std::isnan(c(i, j)), i == 1) << i << ", " << j;
        }
    }
}

TYPED_TEST(activations, nothing_multiplied_is_finished_too) {
    using T = TypeParam;
    matrix<T> a(40, 50), b(50, 60), c(40, 60);
    test::poison(a);
    test::poison(b);
    test::poison(c);
    const auto e = test::whole_matrix<T>(40, 60, 9, 3);
    const std::vector<T> add(60, T{5});
    matrix_product(scaled(0, a), b, scaled(2, e), c, bias(add) | scale(3));
    for (std::size_t i = 0; i < 40; ++i)
        for (std::size_t j = 0; j < 60; ++j) ASSERT_EQ(c(i, j), 15 + 2 * e(i, j));
    test::poison(c);
    matrix_product(scaled(0, a), b, scaled(0, c), c, bias(add));
    for (std::size_t i = 0; i < 40; ++i)
        for (std::size_t j = 0; j < 60; ++j) ASSERT_EQ(c(i, j), 5) << "C must not be read";
}

// Values and E flush against pages that nobody may touch.
TYPED_TEST(activations, read_nothing_outside_their_values) {
    using T = TypeParam;
    using test::flush;
    int executed = 0;
    for (const flush side : {flush::front, flush::back}) {
        for (const std::size_t m : {1u, 7u, 25u, 49u}) {
            for (const std::size_t n : {1u, 5u, 33u, 100u}) {
                const auto a = test::whole_matrix<T>(m, 9, 3, 1);
                const auto b = test::whole_matrix<T>(9, n, 3, 2);
                const test::guarded_block of_rows(m * sizeof(T), side, 0);
                const test::guarded_block of_cols(n * sizeof(T), side, 0);
                const test::guarded_block of_e(m * n * sizeof(T), side, 0);
                const test::guarded_block of_c(m * n * sizeof(T), side, 0);
                const std::span rows(reinterpret_cast<T*>(of_rows.data()), m);
                const std::span cols(reinterpret_cast<T*>(of_cols.data()), n);
                const matrix_view<T> e(reinterpret_cast<T*>(of_e.data()), m, n);
                const matrix_view<T> c(reinterpret_cast<T*>(of_c.data()), m, n);
                std::ranges::fill(rows, T{2});
                std::ranges::fill(cols, T{3});
                std::fill_n(e.data(), m * n, T{4});
                test::describe_for_crash(std::to_string(m) + " x " + std::to_string(n));
                matrix_product(a, b, e, c, scale(rows, by::row) | bias(cols));
                matrix<T> plain(m, n);
                matrix_product(a, b, plain);
                for (std::size_t i = 0; i < m; ++i)
                    for (std::size_t j = 0; j < n; ++j)
                        ASSERT_EQ(c(i, j), 2 * plain(i, j) + 7) << i << ", " << j;
                ++executed;
            }
        }
    }
    EXPECT_EQ(executed, 2 * 4 * 4);
}

class refused_epilogues : public test::refusals {};

TEST_F(refused_epilogues, name_the_values_and_leave_c_alone) {
    using enum error_code;
    const std::vector<double> five(5), three(3);
    const auto at = [](double* p) { return matrix_view<double>(p, 3, 3); };
    refuse(size_mismatch, {"the bias has 5 values", "C is 3 x 3", "each column"},
           [&](double* p) { matrix_product(at(p), at(p), at(p + 100), bias(five)); });
    refuse(size_mismatch, {"the scale has 5 values", "each row"},
           [&](double* p) { matrix_product(at(p), at(p), at(p + 100), scale(five, by::row)); });
    refuse(invalid_argument, {"the bias is 1 x 3", "null"}, [&](double* p) {
        matrix_product(at(p), at(p), at(p + 100),
                       bias(std::span<const double>(static_cast<double*>(nullptr), 3)));
    });
    refuse(aliasing, {"C overlaps the bias"}, [&](double* p) {
        matrix_product(at(p), at(p), at(p + 100), relu | bias(std::span(p + 106, 3)));
    });
    refuse(invalid_argument, {"9 steps", "at most 8", "each"}, [&](double* p) {
        const auto four = relu | relu | relu | relu;
        matrix_product(at(p), at(p), at(p + 100), four | four | bias(three));
    });
    EXPECT_EQ(refused_, 5);
}

}  // namespace
