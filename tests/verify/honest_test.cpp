// No false alarm: every order of summation, over shapes and data that are hard to sum, passes by
// both methods.
#include <gtest/gtest.h>

#include "trial.hpp"

namespace carat::verify {
namespace {

struct shape {
    std::int64_t m, n, k;
};

constexpr std::array shapes = {shape{1, 1, 1},    shape{1, 1, 1000},  shape{7, 5, 3},
                               shape{33, 17, 65}, shape{64, 130, 31}, shape{2, 3, 4097}};

const std::array distributions = {workload::uniform(2, 5),       workload::normal(0, 1),
                                  workload::ill_conditioned(1),  workload::ill_conditioned(4),
                                  workload::ill_conditioned(20), workload::uniform(1e-3, 1.1e-3),
                                  workload::integers(-8, 8),     workload::zeros(),
                                  workload::uniform(-1e3, 1e3)};

constexpr std::array factors = {std::array{1.0, 0.0}, std::array{2.5, -1.0}, std::array{-1.0, 1.0},
                                std::array{0.1, 0.3}, std::array{0.0, 2.0},  std::array{0.0, 0.0}};

template <class T>
int check_all_orders(trial<T>& t, std::string_view claimed = {}) {
    int checks = 0;
    options sampled;
    sampled.componentwise_madds = 0;
    const std::array references = {t.reference(), t.reference(sampled)};
    for (const order how : all_orders) {
        const std::vector<T> c = multiply(t, how);
        for (const reference& r : references) {
            const verdict v = r.check(c.data(), claimed);
            ++checks;
            EXPECT_TRUE(v.passed) << core::describe(t.p) << " order " << static_cast<int>(how)
                                  << " alpha " << t.p.alpha << " beta " << t.p.beta << " by "
                                  << name(v.how) << ": " << v.reason;
        }
    }
    return checks;
}

template <class T>
class Honest : public testing::Test {};
using real_types = testing::Types<double, float>;
TYPED_TEST_SUITE(Honest, real_types);

TYPED_TEST(Honest, EveryOrderPasses) {
    int checks = 0;
    for (const shape& s : shapes)
        for (const workload::distribution& d : distributions)
            for (const auto& [alpha, beta] : factors) {
                trial<TypeParam> t(s.m, s.n, s.k, d, alpha, beta);
                checks += check_all_orders(t);
            }
    EXPECT_EQ(checks, 6 * 9 * 6 * 8 * 2);
}

// Each sum cancels to nothing but rounding: row p and p + k/2 of B are negatives of one another.
TYPED_TEST(Honest, CancellationPasses) {
    trial<TypeParam> t(19, 23, 64, workload::normal(0, 1));
    for (std::int64_t i = 0; i < 19; ++i)
        for (std::int64_t q = 0; q < 32; ++q)
            t.a[static_cast<std::size_t>(i * 64 + q + 32)] = t.at_a(i, q);
    for (std::int64_t q = 0; q < 32; ++q)
        for (std::int64_t j = 0; j < 23; ++j)
            t.b[static_cast<std::size_t>((q + 32) * 23 + j)] = -t.at_b(q, j);
    EXPECT_EQ(check_all_orders(t), 16);
}

// Rows of A and columns of B spread over the exponent range; near the ends some products or sums
// overflow or become subnormal, in some orders and not in others.
TYPED_TEST(Honest, ScalesUpToOverflowAndDownToSubnormalsPass) {
    const int most = std::numeric_limits<TypeParam>::max_exponent;
    int checks = 0;
    for (const int scale :
         {-most, -most / 2, -most / 2 - 10, -most / 3, most / 3, most / 2 - 4, most / 2})
        for (const auto& [alpha, beta] : factors) {
            trial<TypeParam> t(13, 11, 37, workload::normal(0, 1), alpha, beta);
            for (auto* side : {&t.a, &t.b})
                for (TypeParam& x : *side) x = std::ldexp(x, scale);
            checks += check_all_orders(t);
        }
    EXPECT_EQ(checks, 7 * 6 * 16);
}

TYPED_TEST(Honest, GradedRowsAndColumnsPass) {
    const int most = std::numeric_limits<TypeParam>::max_exponent;
    trial<TypeParam> t(16, 16, 16, workload::normal(0, 1), 3, 0);
    for (int i = 0; i < 16; ++i)
        for (int q = 0; q < 16; ++q) {
            TypeParam& a = t.a[static_cast<std::size_t>(i * 16 + q)];
            TypeParam& b = t.b[static_cast<std::size_t>(q * 16 + i)];
            a = std::ldexp(a, (i - q) * most / 18);
            b = std::ldexp(b, (q - i) * most / 18);
        }
    EXPECT_EQ(check_all_orders(t), 16);
}

// Whole numbers times powers of two so small that products fall between the subnormals: nothing is
// exact any more, whatever their bits say.
TYPED_TEST(Honest, WholeNumbersBelowTheSmallestPass) {
    const int scale = (std::numeric_limits<TypeParam>::min_exponent - 30) / 2;
    for (const double alpha : {1.0, 0.5, 3.0}) {
        trial<TypeParam> t(13, 11, 37, workload::integers(-800, 800), alpha, 0);
        for (auto* side : {&t.a, &t.b})
            for (TypeParam& x : *side) x = std::ldexp(x, scale);
        EXPECT_EQ(check_all_orders(t), 16);
    }
}

// One term in each sum, of 51 bits, so that C is exact; but B times a vector has more than 53.
TEST(HonestSampled, WideWholeNumbersPass) {
    trial<double> t(90, 80, 90, workload::integers(-0x1p51, 0x1p51));
    std::ranges::fill(t.a, 0.0);
    for (std::int64_t i = 0; i < 90; ++i) t.a[static_cast<std::size_t>(i * 91)] = 1;
    EXPECT_EQ(check_all_orders(t), 16);
}

TEST(HonestIntegers, EveryOrderPassesModulo32Bits) {
    int checks = 0;
    for (const shape& s : shapes)
        for (const auto& [lo, hi] :
             {std::array{-8.0, 8.0}, std::array{-2147483648.0, 2147483647.0}})
            for (const auto& [alpha, beta] : {std::array{1.0, 0.0}, std::array{-3.0, 7.0}}) {
                trial<std::int32_t> t(s.m, s.n, s.k, workload::integers(lo, hi), alpha, beta);
                checks += check_all_orders(t);
            }
    EXPECT_EQ(checks, 6 * 2 * 2 * 16);
}

// f32 data summed in double: better than its type asks, and judged by what it claims.
TEST(HonestMixed, FloatSummedInDouble) {
    for (const workload::distribution& d : distributions) {
        trial<float> t(21, 34, 300, d, 2.5, -1);
        for (const order how : all_orders) {
            const std::vector<float> c = multiply<float, double>(t, how);
            const verdict v = t.reference().check(c.data(), "f64");
            EXPECT_TRUE(v.passed) << v.reason;
            EXPECT_LE(v.bound_ulp, 2) << "one rounding to f32 and little more";
        }
    }
}

// Narrow types: accumulation in f32, one rounding at the end.
template <class T>
class HonestNarrow : public testing::Test {};
using narrow_types = testing::Types<f16, bf16>;
TYPED_TEST_SUITE(HonestNarrow, narrow_types);

TYPED_TEST(HonestNarrow, AccumulationInFloatPasses) {
    constexpr bool ends_at_65504 = std::is_same_v<TypeParam, f16>;
    int checks = 0;
    for (const shape& s : shapes)
        for (const workload::distribution& d : distributions) {
            const bool is_wide =
                d == workload::ill_conditioned(4) || d == workload::ill_conditioned(20);
            if (ends_at_65504 && is_wide) continue;
            trial<TypeParam> t(s.m, s.n, s.k, d, 1.5, 0.5);
            for (const order how : all_orders) {
                const std::vector<TypeParam> c = multiply<TypeParam, float>(t, how);
                const verdict v = t.reference().check(c.data());
                EXPECT_TRUE(v.passed) << core::describe(t.p) << ": " << v.reason;
                ++checks;
            }
        }
    EXPECT_EQ(checks, 6 * (ends_at_65504 ? 7 : 9) * 8);
}

}  // namespace
}  // namespace carat::verify
