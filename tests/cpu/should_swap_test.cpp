// Which operand's lines fill vectors: the predicted costs of both orders decide.
#include "cpu/should_swap.hpp"

#include <gtest/gtest.h>

namespace {

using namespace carat;

core::problem shaped(std::int64_t m, std::int64_t n, std::int64_t k, bool rows_of_a, bool rows_of_b,
                     bool rows_of_c) {
    core::problem p = core::row_major_problem(dtype::f64, m, n, k);
    if (!rows_of_a) p.a_layout = core::column_major(m);
    if (!rows_of_b) p.b_layout = core::column_major(k);
    if (!rows_of_c) p.c_layout = core::column_major(m);
    return p;
}

// The transposed product makes the opposite choice for every layout.
TEST(should_swap, is_symmetric) {
    int turned = 0;
    for (const std::int64_t m : {7, 60, 400})
        for (const std::int64_t n : {5, 33, 300})
            for (const std::int64_t k : {3, 40})
                for (int bits = 0; bits < 8; ++bits) {
                    const core::problem p =
                        shaped(m, n, k, (bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0);
                    const core::problem other =
                        shaped(n, m, k, (bits & 2) == 0, (bits & 1) == 0, (bits & 4) == 0);
                    const bool swapped = cpu_engine::should_swap(p, true, 64);
                    EXPECT_NE(swapped, cpu_engine::should_swap(other, true, 64))
                        << m << " " << n << " " << k << " " << bits;
                    turned += swapped ? 1 : 0;
                }
    EXPECT_GT(turned, 30);
}

// Columns of C are contiguous, rows of A are not: packing A costs more than transposing C if k is
// large compared with n, and vice versa.
TEST(should_swap, weighs_packing_a_against_turning_c) {
    EXPECT_TRUE(cpu_engine::should_swap(shaped(60, 32, 300, true, true, false), true, 64));
    EXPECT_FALSE(cpu_engine::should_swap(shaped(60, 320, 30, true, true, false), true, 64));
    // C decides if operands are packed anyway.
    EXPECT_FALSE(cpu_engine::should_swap(shaped(60, 32, 300, true, true, false), false, 64));
}

// Three rows would fill three of eight lanes.
TEST(should_swap, fills_vectors) {
    EXPECT_TRUE(cpu_engine::should_swap(shaped(3, 400, 30, false, true, false), true, 64));
    EXPECT_FALSE(cpu_engine::should_swap(shaped(400, 3, 30, false, true, true), true, 64));
}

}  // namespace
