// The claim "f16": operands rounded to f16, whose products are summed in f32, from f32 or f64 data.
#include <gtest/gtest.h>

#include "trial.hpp"

namespace carat::verify {
namespace {

template <class T>
class f16_operands : public testing::Test {
  protected:
    // Multiplies as tensor cores do after conversion.
    static std::vector<T> multiply_in_f16(trial<T> t) {
        for (auto* side : {&t.a, &t.b})
            for (T& x : *side) x = static_cast<T>(static_cast<double>(f16(x)));
        return multiply<T, float>(t);
    }
};
using data_types = testing::Types<float, double>;
TYPED_TEST_SUITE(f16_operands, data_types);

TYPED_TEST(f16_operands, honest_products_keep_the_claim_over_sizes_and_data) {
    int checks = 0;
    for (const std::int64_t k : {1, 31, 500})
        for (const auto& values :
             {workload::uniform(0, 1), workload::normal(0, 1), workload::integers(-8, 8),
              workload::ill_conditioned(2), workload::normal(0, 1e-6), workload::uniform(0, 1e-8)})
            for (const double budget : {1e9, 0.0}) {
                trial<TypeParam> t(9, 11, k, values, 1.5, -0.5);
                options how;
                how.componentwise_madds = budget;
                const verdict v = t.reference(how).check(this->multiply_in_f16(t).data(), "f16");
                EXPECT_TRUE(v.passed) << k << " " << workload::to_string(values) << v.reason;
                ++checks;
            }
    EXPECT_EQ(checks, 3 * 6 * 2);
}

// Sums of thousands are no excuse: they are made in f32.
TYPED_TEST(f16_operands, nothing_and_half_of_a_long_sum_are_wrong) {
    trial<TypeParam> t(9, 11, 8192, workload::uniform(0, 1));
    const std::vector<TypeParam> right = this->multiply_in_f16(t);
    for (const double budget : {1e9, 0.0}) {
        options how;
        how.componentwise_madds = budget;
        const reference r = t.reference(how);
        EXPECT_TRUE(r.check(right.data(), "f16").passed);
        for (const TypeParam share : {0.0F, 0.5F, 0.99F}) {
            std::vector<TypeParam> c = right;
            for (TypeParam& x : c) x *= share;
            EXPECT_FALSE(r.check(c.data(), "f16").passed) << share << " by " << name(r.how());
        }
    }
}

// An operand beyond 65504 becomes infinite, as do the results that use it; nothing else may.
TYPED_TEST(f16_operands, beyond_their_range_are_infinite_and_no_others) {
    trial<TypeParam> t(6, 7, 5, workload::normal(0, 1));
    t.a[12] = 70000;
    const reference r = t.reference();
    std::vector<TypeParam> c = this->multiply_in_f16(t);
    EXPECT_FALSE(std::isfinite(c[t.index(2, 3)]));
    EXPECT_TRUE(r.check(c.data(), "f16").passed);
    EXPECT_FALSE(r.check(c.data(), "f32").passed);
    c[t.index(1, 3)] = c[t.index(2, 3)];
    EXPECT_FALSE(r.check(c.data(), "f16").passed);
}

}  // namespace
}  // namespace carat::verify
