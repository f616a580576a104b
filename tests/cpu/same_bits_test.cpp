// One product has the same bits on one thread or several, in part, in a batch, and with a prepared
// operand, for every row of kernels. Operands are contiguous along k or across it, whole pages
// apart, or repeated.
#include <gtest/gtest.h>
#include <string>

#include "tests/cpu/engine_product.hpp"

namespace {

using namespace carat;
using test::engine_product;

class same_bits : public testing::TestWithParam<dtype> {};

// The layout of an operand's lines (rows of A, columns of B).
enum class lines { apart, side_by_side, pages_apart, on_one };

// Strides from line to line and along a line.
core::layout layout_of(lines how, dtype type, std::int64_t count, std::int64_t k) {
    if (how == lines::apart) return {k, 1};
    if (how == lines::side_by_side) return {1, count};
    return {1, how == lines::on_one ? 0 : static_cast<std::int64_t>(4096 / size_bytes(type))};
}

TEST_P(same_bits, by_threads_parts_and_prepared_operands) {
    constexpr std::int64_t shapes[][3] = {{2, 9, 163},  {9, 2, 163},    {4, 70, 200}, {70, 4, 200},
                                          {3, 17, 129}, {24, 130, 256}, {7, 18, 257}, {60, 3, 250},
                                          {1, 40, 150}, {32, 160, 128}};
    constexpr lines ways[] = {lines::apart, lines::side_by_side, lines::pages_apart, lines::on_one};
    int executed = 0;
    int sets = 0;
    for (const cpu_engine::kernel_set* set : cpu_engine::kernel_sets()) {
        if (!core::has(set->level)) continue;
        ++sets;
        for (const auto& [m, n, k] : shapes)
            for (const lines of_a : ways)
                for (const lines of_b : ways) {
                    core::problem p = core::row_major_problem(GetParam(), m, n, k);
                    p.a_layout = layout_of(of_a, p.a_type, m, k);
                    const core::layout columns = layout_of(of_b, p.b_type, n, k);
                    p.b_layout = {columns.col_stride, columns.row_stride};
                    p.c_layout = core::column_major(m);
                    p.alpha = 0.7;
                    p.beta = -0.3;
                    const engine_product product(p, *set);
                    const engine_product::bytes plain = product.by(1);
                    SCOPED_TRACE(std::string(name(set->level)) + " " + core::describe(p) +
                                 " lines " + std::to_string(int(of_a)) + std::to_string(int(of_b)));
                    EXPECT_EQ(product.by(3), plain);
                    EXPECT_EQ(product.prepared(side::left, 3), plain);
                    EXPECT_EQ(product.prepared(side::right, 3), plain);
                    EXPECT_EQ(product.in_parts(), plain);
                    EXPECT_EQ(product.one_of_many(), plain);
                    ++executed;
                }
    }
    EXPECT_EQ(executed, sets * 10 * 4 * 4);
}

INSTANTIATE_TEST_SUITE_P(types, same_bits, testing::Values(dtype::f64, dtype::f32));

}  // namespace
