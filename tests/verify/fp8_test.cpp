// The two claims for fp8, against sums made as a Hopper tensor core makes them (fp8_unit.hpp).
#include <algorithm>
#include <gtest/gtest.h>

#include "tests/verify/fp8_unit.hpp"
#include "trial.hpp"

namespace carat::verify {
namespace {

template <class A>
struct fp8_trial : unit_trial<A, e4m3> {
    using unit_trial<A, e4m3>::unit_trial;

    // `promoted`: sums of 128 products are added up in f32. `skipped`: a step left out by mistake.
    void multiply(bool promoted, std::int64_t skipped = -1) {
        this->each_entry([&](std::int64_t i, std::int64_t j) {
            return test::fp8_sum(
                this->p.k, promoted,
                [&](std::int64_t q) {
                    return test::fp8_product_of(this->at_a(i, q), this->at_b(q, j));
                },
                skipped);
        });
    }
};

template <class A>
class fp8_claims : public testing::Test {};
using types_of_a = testing::Types<e4m3, e5m2>;
TYPED_TEST_SUITE(fp8_claims, types_of_a);

TYPED_TEST(fp8_claims, honest_sums_keep_them_over_sizes_and_data) {
    int checks = 0;
    for (const std::int64_t k : {1, 31, 128, 130, 1000, 4096})
        for (const auto& values : {workload::uniform(0, 1), workload::normal(0, 1),
                                   workload::ill_conditioned(3), workload::integers(-8, 8)}) {
            fp8_trial<TypeParam> t(5, 7, k, values);
            const reference r = t.make_reference();
            for (const bool promoted : {true, false}) {
                t.multiply(promoted);
                const verdict v = r.check(t.c.data(), promoted ? "fp8/f32" : "fp8/14-bit (fast)");
                EXPECT_TRUE(v.passed) << k << " " << workload::to_string(values) << v.reason;
                ++checks;
            }
        }
    EXPECT_EQ(checks, 6 * 4 * 2);
}

// Numbers of which many are subnormal in e4m3: what is cut from a sum goes by exponents that they
// don't reach.
TYPED_TEST(fp8_claims, honest_sums_of_subnormal_numbers_keep_them) {
    int checks = 0;
    for (const std::int64_t k : {31, 128, 1000, 4096})
        for (const double most : {0x1p-5, 0x1p-7, 0x1p-8}) {
            fp8_trial<TypeParam> t(5, 7, k, workload::uniform(0, most));
            for (const bool of_a_alone : {false, true}) {
                if (of_a_alone)
                    for (std::size_t i = 0; i < t.b.size(); ++i)
                        t.b[i] = e4m3(1.0 + static_cast<double>(i % 8) / 8);
                const reference r = t.make_reference();
                for (const bool promoted : {true, false}) {
                    t.multiply(promoted);
                    const verdict v = r.check(t.c.data(), promoted ? "fp8/f32" : "fp8/14-bit");
                    EXPECT_TRUE(v.passed) << k << " up to " << most << ": " << v.reason;
                    ++checks;
                }
            }
        }
    EXPECT_EQ(checks, 4 * 3 * 2 * 2);
}

// Two terms of which the first one's exponents, not its value, say where the second is cut: bit by
// bit nothing can be asked for there.
TYPED_TEST(fp8_claims, a_term_cut_below_the_exponents_of_a_subnormal_one_is_no_fault) {
    fp8_trial<TypeParam> t(1, 1, 2, workload::uniform(0, 1));
    t.a = {TypeParam(0x1p-9), TypeParam(0x1p-7)};
    t.b = {e4m3(0x1p7), e4m3(0x1p-6)};
    const reference r = t.make_reference();
    for (const float cut : {0.0F, 0x1p-13F}) {
        t.c = {0.25F + cut};
        EXPECT_TRUE(r.check(t.c.data(), "fp8/f32").passed) << cut;
    }
}

// The most that can go so: a step of which one term, small but for its exponents, cuts all others.
TEST(fp8_bound, allows_for_a_step_cut_by_a_subnormal_number) {
    fp8_trial<e4m3> t(1, 1, test::fp8_step, workload::uniform(0, 1));
    std::ranges::fill(t.a, e4m3(1.75 * 0x1p-6));
    std::ranges::fill(t.b, e4m3(0x1p-6));
    t.a[0] = e4m3(0x1p-9);
    t.b[0] = e4m3(0x1p8);
    const reference r = t.make_reference();
    t.multiply(true);
    EXPECT_EQ(t.c[0], 0.5F) << "of 0.513";
    const verdict v = r.check(t.c.data(), "fp8/f32");
    EXPECT_TRUE(v.passed) << v.reason;
}

// Two products of exponents far apart, and what remains of eight: the bound counts one cut for each
// but the largest, and one of the sum.
TYPED_TEST(fp8_claims, few_products_of_wide_exponents_keep_them) {
    int checks = 0;
    for (const std::int64_t k : {2, 3, 5, 8, 33, 128}) {
        fp8_trial<TypeParam> t(49, 134, k, workload::uniform(0, 1));
        const auto widen = [](auto& all) {
            using element = std::remove_reference_t<decltype(all[0])>;
            for (std::size_t i = 0; i < all.size(); ++i)
                all[i] = element(std::ldexp(double{all[i]}, static_cast<int>(i * 7 % 13) - 6));
        };
        widen(t.a);
        widen(t.b);
        const reference r = t.make_reference();
        t.multiply(true);
        const verdict v = r.check(t.c.data(), "fp8/f32");
        EXPECT_TRUE(v.passed) << k << ": " << v.reason;
        ++checks;
    }
    EXPECT_EQ(checks, 6);
}

TYPED_TEST(fp8_claims, fast_sums_are_told_from_promoted_ones) {
    fp8_trial<TypeParam> t(5, 7, 4096, workload::uniform(0, 1));
    const reference r = t.make_reference();
    t.multiply(false);
    EXPECT_TRUE(r.check(t.c.data(), "fp8/14-bit").passed);
    EXPECT_FALSE(r.check(t.c.data(), "fp8/f32").passed);
    t.multiply(true);
    EXPECT_FALSE(r.check(t.c.data(), "f32").passed) << "and these from f32";
}

TYPED_TEST(fp8_claims, a_missing_step_is_found) {
    fp8_trial<TypeParam> t(5, 7, 1024, workload::uniform(0.5, 1));
    const reference r = t.make_reference();
    t.multiply(true, 512);
    EXPECT_FALSE(r.check(t.c.data(), "fp8/f32").passed);
}

// Small whole numbers are exact in either, so that one wrong bit is found.
TYPED_TEST(fp8_claims, whole_numbers_are_compared_bit_by_bit) {
    fp8_trial<TypeParam> t(5, 7, 512, workload::integers(-2, 2));
    const reference r = t.make_reference();
    for (const bool promoted : {true, false}) {
        const char* claim = promoted ? "fp8/f32" : "fp8/14-bit";
        t.multiply(promoted);
        EXPECT_EQ(r.check(t.c.data(), claim).error_ulp, 0);
        t.c[17] += 1;
        EXPECT_FALSE(r.check(t.c.data(), claim).passed);
    }
}

}  // namespace
}  // namespace carat::verify
