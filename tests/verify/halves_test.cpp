// The claim "3xtf32", against sums made so: each number as two of 11 bits, three products of four.
#include <cmath>
#include <gtest/gtest.h>
#include <vector>

#include "lab/verify/verify.hpp"
#include "lab/workload/workload.hpp"

namespace carat::verify {
namespace {

float to_11_bits(float x) {
    if (x == 0) return 0;
    const int unit = std::ilogb(x) - 10;
    return std::ldexp(std::round(std::ldexp(x, -unit)), unit);
}

struct halves_trial {
    core::problem p;
    std::vector<float> a, b, c;

    halves_trial(std::int64_t m, std::int64_t n, std::int64_t k,
                 const workload::distribution& values)
        : p(core::row_major_problem(dtype::f32, m, n, k)),
          a(static_cast<std::size_t>(m * k)),
          b(static_cast<std::size_t>(k * n)),
          c(static_cast<std::size_t>(m * n)) {
        workload::fill(a.data(), p.a_type, m, k, p.a_layout, values, 1, workload::operand::a, 1);
        workload::fill(b.data(), p.b_type, k, n, p.b_layout, values, 1, workload::operand::b, 1);
    }

    [[nodiscard]] reference make_reference() {
        return {p, {a.data(), b.data(), c.data()}, options{}};
    }

    // Multiplies the halves: large x large, and with `cross` the two mixed products.
    void multiply(bool cross) {
        for (std::int64_t i = 0; i < p.m; ++i)
            for (std::int64_t j = 0; j < p.n; ++j) {
                float sum = 0;
                for (std::int64_t q = 0; q < p.k; ++q) {
                    const float x = a[static_cast<std::size_t>(i * p.k + q)];
                    const float y = b[static_cast<std::size_t>(q * p.n + j)];
                    const float large_x = to_11_bits(x);
                    const float large_y = to_11_bits(y);
                    if (cross) {
                        sum += to_11_bits(x - large_x) * large_y;
                        sum += large_x * to_11_bits(y - large_y);
                    }
                    sum += large_x * large_y;
                }
                c[static_cast<std::size_t>(i * p.n + j)] = sum;
            }
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
