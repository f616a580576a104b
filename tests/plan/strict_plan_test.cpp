// Which of the kernels for f32 and f64 takes which product: limits that no plan may break, and what
// every choice has to weigh.
#include "plan/strict_plan.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <ostream>

namespace carat::plan {

void PrintTo(const strict_plan& plan, std::ostream* out) {
    *out << plan.tile_m << " x " << plan.tile_n << " in " << plan.parts;
}

}  // namespace carat::plan

namespace {

using namespace carat::plan;

strict_request square(std::int64_t n, int bytes) {
    return {.m = n, .n = n, .k = n, .element_bytes = bytes};
}

TEST(strict_plan, names_a_kernel_that_exists) {
    for (const int bytes : {4, 8})
        for (const std::int64_t m : {1, 100, 1024, 5000})
            for (const std::int64_t n : {1, 64, 8192})
                for (const std::int64_t k : {1, 16, 17, 1000, 8192})
                    for (const int tile : {0, 64, 128, 256})
                        for (const int parts : {0, 1, 3, 8}) {
                            const strict_plan plan = make_strict_plan({.m = m,
                                                                       .n = n,
                                                                       .k = k,
                                                                       .element_bytes = bytes,
                                                                       .tile_m = tile,
                                                                       .parts = parts});
                            SCOPED_TRACE(testing::PrintToString(plan));
                            const auto is = [&](int high, int wide) {
                                return plan.tile_m == high && plan.tile_n == wide;
                            };
                            EXPECT_TRUE(is(128, 64) || is(128, 128) ||
                                        (bytes == 8 ? is(64, 64) || is(96, 128)
                                                    : is(64, 32) || is(256, 128)));
                            EXPECT_TRUE(plan.parts == 1 || plan.parts == 2 || plan.parts == 4 ||
                                        plan.parts == 8);
                            EXPECT_LE(plan.parts,
                                      (k + (bytes == 8 ? 15 : 7)) / (bytes == 8 ? 16 : 8));
                            EXPECT_LE(plan.parts, parts == 0 ? 8 : parts);
                            EXPECT_GT(plan.seconds, 0);
                        }
}

TEST(strict_plan, takes_the_tile_that_is_asked_for) {
    EXPECT_EQ(make_strict_plan({.m = 64, .n = 64, .k = 64, .tile_m = 256}).tile_m, 256);
    EXPECT_EQ(make_strict_plan({.m = 4096, .n = 4096, .k = 64, .tile_m = 128}).tile_m, 128);
    EXPECT_EQ(
        make_strict_plan({.m = 4096, .n = 4096, .k = 64, .element_bytes = 8, .tile_m = 64}).tile_m,
        64);
}

// 3000^3 in tiles of 128 x 128 is 576 of them: five rounds on 132 multiprocessors, the last a third
// full; of 96 x 128 768: six rounds that are nearly full.
TEST(strict_plan, a_round_that_is_full_beats_a_larger_tile) {
    const strict_plan f64 = make_strict_plan(square(3000, 8));
    EXPECT_EQ(f64.tile_m, 96);
    EXPECT_EQ(f64.tile_n, 128);
    EXPECT_EQ(make_strict_plan(square(4096, 8)).tile_m, 128);
}

TEST(strict_plan, shares_k_where_tiles_are_too_few_and_not_where_they_are_many) {
    for (const int bytes : {4, 8}) {
        EXPECT_GT(make_strict_plan({.m = 256, .n = 256, .k = 8192, .element_bytes = bytes}).parts,
                  1);
        EXPECT_EQ(make_strict_plan(square(8192, bytes)).parts, 1);
    }
}

TEST(strict_plan, is_made_for_a_gpu_that_is_cut_up) {
    for (const int multiprocessors : {1, 14, 16, 18, 26}) {
        const strict_plan plan =
            make_strict_plan({.m = 256, .n = 256, .k = 8192, .multiprocessors = multiprocessors});
        EXPECT_GT(plan.seconds, 0) << multiprocessors;
        EXPECT_TRUE(std::isfinite(plan.seconds)) << multiprocessors;
    }
}

TEST(strict_plan, expects_no_more_than_the_units_can_do) {
    for (const int bytes : {4, 8})
        for (const std::int64_t n : {128, 512, 1024, 4096, 16384}) {
            const double flop = 2.0 * static_cast<double>(n * n * n);
            EXPECT_LT(flop / make_strict_plan(square(n, bytes)).seconds, 66.9e12);
        }
}

}  // namespace
