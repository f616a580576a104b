// C = alpha A B + beta C: which operand may be read when, and where NaN and infinity end up.
#include <algorithm>
#include <limits>

#include "ladder/cpu/anatomy/dispatch.hpp"
#include "ladder/cpu/table.hpp"
#include "tests/ladder/multiplication.hpp"

namespace {

using namespace carat;
using test::multiplication;
using test::shape;

template <class T>
constexpr T nan = std::numeric_limits<T>::quiet_NaN();
template <class T>
constexpr T infinity = std::numeric_limits<T>::infinity();

struct size {
    std::int64_t m, n, k;
};
constexpr size ragged[] = {{1, 1, 1}, {3, 5, 2}, {9, 25, 7}, {17, 49, 33}, {25, 97, 10}};

template <class T>
class rules : public testing::Test {};
using every_type = testing::Types<double, float, std::int32_t>;
TYPED_TEST_SUITE(rules, every_type);

template <class T>
class special_values : public testing::Test {};
using real_types = testing::Types<double, float>;
TYPED_TEST_SUITE(special_values, real_types);

// body(entry, product) for each entry that takes T and each ragged size; returns how often.
template <class T, class Body>
int for_each_case(const Body& body) {
    int run = 0;
    for (const rows::implementation* entry : ladder::cpu::table())
        for (const size& s : ragged)
            if (test::takes<T>(*entry)) {
                multiplication<T> x(s.m, s.n, s.k);
                body(*entry, x);
                ++run;
            }
    return run;
}

TYPED_TEST(rules, alpha_and_beta) {
    constexpr double factors[] = {0, 1, -1, 2, -3};
    const int run = for_each_case<TypeParam>([&](const auto& entry, const auto& product) {
        for (const double alpha : factors)
            for (const double beta : factors) {
                multiplication<TypeParam> x = product;
                x.problem.alpha = alpha;
                x.problem.beta = beta;
                x.check(entry, test::with_blocks(entry, 16));
            }
    });
    EXPECT_EQ(run, 5 * (std::is_integral_v<TypeParam> ? 7 : 15));
}

TYPED_TEST(special_values, fractions_scale_too) {
    const int run = for_each_case<TypeParam>([](const auto& entry, auto& x) {
        x.problem.alpha = 0.5;
        x.problem.beta = -0.25;
        x.check(entry);
    });
    EXPECT_EQ(run, 75);
}

TYPED_TEST(special_values, beta_zero_never_reads_c) {
    const int run = for_each_case<TypeParam>([](const auto& entry, auto& x) {
        std::ranges::fill(x.c, nan<TypeParam>);
        x.check(entry);
    });
    EXPECT_EQ(run, 75);
}

TYPED_TEST(special_values, alpha_zero_never_reads_a_or_b) {
    const int run = for_each_case<TypeParam>([](const auto& entry, auto& x) {
        std::ranges::fill(x.a, nan<TypeParam>);
        std::ranges::fill(x.b, nan<TypeParam>);
        x.problem.alpha = 0;
        x.problem.beta = 3;
        x.check(entry);
    });
    EXPECT_EQ(run, 75);
}

TYPED_TEST(special_values, without_k_c_is_scaled_and_nothing_else) {
    const int run = for_each_case<TypeParam>([](const auto& entry, const auto& product) {
        for (const double beta : {0.0, 1.0, 2.0}) {
            multiplication<TypeParam> x(product.problem.m, product.problem.n, 0);
            if (beta == 0) std::ranges::fill(x.c, nan<TypeParam>);
            x.problem.beta = beta;
            x.check(entry);
        }
    });
    EXPECT_EQ(run, 75);
}

// One NaN or infinity in the first, a middle or the last place of A reaches its row of C and no
// other; in B, its column. An infinity times zero is NaN: no step may skip a zero.
TYPED_TEST(special_values, reach_exactly_their_row_or_column) {
    const int run = for_each_case<TypeParam>([](const auto& entry, const auto& product) {
        const auto [m, n, k] = size{product.problem.m, product.problem.n, product.problem.k};
        for (const TypeParam value : {nan<TypeParam>, infinity<TypeParam>, -infinity<TypeParam>})
            for (const int part : {0, 1, 2})
                for (const shape c : {shape::row_major, shape::column_major}) {
                    multiplication<TypeParam> in_a(m, n, k, shape::row_major, shape::row_major, c);
                    *in_a.a_at((m - 1) * part / 2, (k - 1) * part / 2) = value;
                    in_a.check(entry, test::with_blocks(entry, 16));
                    multiplication<TypeParam> in_b(m, n, k, shape::row_major, shape::row_major, c);
                    *in_b.b_at((k - 1) * part / 2, (n - 1) * part / 2) = value;
                    in_b.check(entry, test::with_blocks(entry, 16));
                }
    });
    EXPECT_EQ(run, 75);
}

TEST(reasons, say_what_can_not_be_and_what_to_do) {
    int asked = 0;
    for (const rows::implementation* entry : ladder::cpu::table()) {
        auto p = core::row_major_problem(dtype::i32, 100, 50, 70);
        p.alpha = 0.5;
        if (test::takes<std::int32_t>(*entry)) {
            EXPECT_NE(rows::reason_against(*entry, p, {}).find("alpha 0.5"), std::string::npos);
            p.alpha = 1;
            p.beta = 1e10;
            EXPECT_NE(rows::reason_against(*entry, p, {}).find("not an int32"), std::string::npos);
            p.beta = -2147483648.0;
            EXPECT_EQ(rows::reason_against(*entry, p, {}), "");
        }
        p = core::row_major_problem(dtype::f64, 100, 50, 70);
        for (const core::tunable& t : entry->tunables)
            if (t.name == "tile-size") {
                EXPECT_EQ(rows::reason_against(*entry, p, test::with_blocks(*entry, 100)), "");
                EXPECT_NE(rows::reason_against(*entry, p, test::with_blocks(*entry, 101))
                              .find("tile-size 101 is larger than the matrix (100x50x70 f64)"),
                          std::string::npos);
                ++asked;
            }
    }
    EXPECT_EQ(asked, 8);
}

}  // namespace
