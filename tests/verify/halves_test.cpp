// The claim "3xtf32", against sums made so: each number as two of 11 bits, three products of four.
#include <cmath>
#include <gtest/gtest.h>

#include "trial.hpp"

namespace carat::verify {
namespace {

float to_11_bits(float x) {
    if (x == 0) return 0;
    const int unit = std::ilogb(x) - 10;
    return std::ldexp(std::round(std::ldexp(x, -unit)), unit);
}

struct halves_trial : unit_trial<float> {
    using unit_trial::unit_trial;

    // Multiplies the halves: large x large, and with `cross` the two mixed products.
    void multiply(bool cross) {
        each_entry([&](std::int64_t i, std::int64_t j) {
            float sum = 0;
            for (std::int64_t q = 0; q < p.k; ++q) {
                const float x = at_a(i, q), y = at_b(q, j);
                const float large_x = to_11_bits(x), large_y = to_11_bits(y);
                if (cross) {
                    sum += to_11_bits(x - large_x) * large_y;
                    sum += large_x * to_11_bits(y - large_y);
                }
                sum += large_x * large_y;
            }
            return sum;
        });
    }
};

TEST(halves, honest_products_keep_the_claim_over_sizes_and_data) {
    for (const std::int64_t k : {1, 2, 31, 500})
        for (const auto& values : {workload::uniform(0, 1), workload::normal(0, 1),
                                   workload::ill_conditioned(3), workload::integers(-8, 8)}) {
            halves_trial t(9, 11, k, values);
            const reference r = t.make_reference();
            t.multiply(true);
            const verdict v = r.check(t.c.data(), "3xtf32");
            EXPECT_TRUE(v.passed) << k << " " << workload::to_string(values) << v.reason;
        }
}

TEST(halves, one_product_of_three_is_told_from_all) {
    for (const std::int64_t k : {1, 31}) {
        halves_trial t(9, 11, k, workload::uniform(0, 1));
        const reference r = t.make_reference();
        t.multiply(false);
        EXPECT_TRUE(r.check(t.c.data(), "tf32").passed) << k;
        EXPECT_FALSE(r.check(t.c.data(), "3xtf32").passed) << k;
    }
}

}  // namespace
}  // namespace carat::verify
