// The claim "f16/f32": sums in f16 that end after 32 products and are added up in f32, made so and
// made worse.
#include <gtest/gtest.h>

#include "trial.hpp"

namespace carat::verify {
namespace {

constexpr const char* claim = "f16/f32 (f16 sums of 32)";

struct f16_trial : unit_trial<f16> {
    using unit_trial::unit_trial;

    // Sums of `most` products, each rounded to f16, but for those of the depth `left_out`.
    void multiply(std::int64_t most, std::int64_t left_out = -1) {
        each_entry([&](std::int64_t i, std::int64_t j) {
            float total = 0;
            f16 sum(0.0F);
            for (std::int64_t q = 0; q < p.k; ++q) {
                if (q != left_out) sum = f16(float(sum) + float(at_a(i, q)) * float(at_b(q, j)));
                if ((q + 1) % most != 0 && q + 1 != p.k) continue;
                total += float(sum);
                sum = f16(0.0F);
            }
            return total;
        });
    }
};

TEST(f16_sums_claim, is_kept_by_honest_sums) {
    for (const std::int64_t k : {1, 31, 64, 1000})
        for (const auto& values :
             {workload::uniform(0, 1), workload::normal(0, 1), workload::integers(-4, 4)}) {
            f16_trial t(9, 11, k, values);
            const reference r = t.make_reference();
            t.multiply(32);
            const verdict v = r.check(t.c.data(), claim);
            EXPECT_TRUE(v.passed) << k << " " << workload::to_string(values) << v.reason;
        }
}

// Positive numbers: sums of thousands stand still, and one product of 8 counts.
TEST(f16_sums_claim, finds_sums_that_never_end_and_products_left_out) {
    f16_trial t(9, 11, 8192, workload::uniform(0, 1));
    const reference r = t.make_reference();
    t.multiply(8192);
    EXPECT_FALSE(r.check(t.c.data(), claim).passed);
    f16_trial few(9, 11, 8, workload::uniform(0, 1));
    const reference of_few = few.make_reference();
    few.multiply(32, 3);
    EXPECT_FALSE(of_few.check(few.c.data(), claim).passed);
    EXPECT_FALSE(of_few.check(few.c.data(), "f32").passed);
}

// The entries of a row add up to more than f16 holds, and none of them comes near it: the row is
// judged all the same.
TEST(f16_sums_claim, is_held_against_long_rows_by_random_vectors) {
    f16_trial t(20, 3000, 100, workload::uniform(0, 1));
    options how;
    how.componentwise_madds = 0;
    const reference r = t.make_reference(how);
    t.multiply(32);
    EXPECT_TRUE(r.check(t.c.data(), claim).passed);
    int caught = 0;
    for (std::int64_t i = 0; i < 20; ++i) {
        float& entry = t.c[static_cast<std::size_t>(i * 3000 + 1500)];
        const float right = entry;
        entry = 30000;
        caught += r.check(t.c.data(), claim).passed ? 0 : 1;
        entry = right;
    }
    EXPECT_EQ(caught, 20);
}

}  // namespace
}  // namespace carat::verify
