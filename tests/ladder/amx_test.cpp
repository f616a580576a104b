// The matrix-unit steps on small whole numbers, which bf16 holds and f32 sums exactly: sizes around
// their tiles and blocks, layouts, factors and threads. They are skipped, with the reason, where
// there is no AMX.
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <carat/types.hpp>

#include "ladder/cpu/table.hpp"

namespace {

using namespace carat;

const rows::implementation& step(std::string_view name) {
    return **std::ranges::find(ladder::cpu::table(), name, &rows::implementation::name);
}

class amx : public testing::TestWithParam<const char*> {
  protected:
    const rows::implementation& step_ = step(GetParam());
};

std::vector<bf16> numbers(std::int64_t count, unsigned seed) {
    std::vector<bf16> all;
    for (std::int64_t i = 0; i < count; ++i) {
        seed = seed * 1664525u + 1013904223u;
        all.push_back(static_cast<bf16>(static_cast<float>(static_cast<int>(seed >> 24) % 7 - 3)));
    }
    return all;
}

// What is wrong first, or nothing. C begins on a cache line, and has guards behind it.
std::string wrong(const rows::implementation& step, const core::problem& p, int threads) {
    const auto a = numbers(core::extent_elements(p.m, p.k, p.a_layout), 1);
    const auto b = numbers(core::extent_elements(p.k, p.n, p.b_layout), 2);
    const auto extent = static_cast<std::size_t>(core::extent_elements(p.m, p.n, p.c_layout));
    std::vector<float> memory(extent + 8 + 15, 5);
    const auto past = reinterpret_cast<std::uintptr_t>(memory.data()) / sizeof(float) % 16;
    const auto c = std::span(memory).subspan((16 - past) % 16, extent + 8);  // on a cache line
    if (p.beta == 0) std::fill_n(c.begin(), extent, NAN);  // which is not to be read
    core::settings how;
    how.threads = threads;
    step.prepare(p, how)->run({a.data(), b.data(), c.data()});
    const auto at = [](const core::layout& l, std::int64_t i, std::int64_t j) {
        return static_cast<std::size_t>(i * l.row_stride + j * l.col_stride);
    };
    for (std::int64_t i = 0; i < p.m; ++i)
        for (std::int64_t j = 0; j < p.n; ++j) {
            double sum = 0;
            for (std::int64_t k = 0; k < p.k; ++k)
                sum += static_cast<double>(a[at(p.a_layout, i, k)]) *
                       static_cast<double>(b[at(p.b_layout, k, j)]);
            const double expected = p.alpha * sum + (p.beta == 0 ? 0 : p.beta * 5);
            const double got = static_cast<double>(c[at(p.c_layout, i, j)]);
            if (got != expected)
                return "C(" + std::to_string(i) + ", " + std::to_string(j) + ") is " +
                       std::to_string(got) + " instead of " + std::to_string(expected);
        }
    for (std::size_t e = extent; e < c.size(); ++e)
        if (c[e] != 5) return "memory behind C was written";
    return {};
}

TEST_P(amx, is_exact_around_its_tiles_and_blocks) {
    if (const std::string why = step_.unavailable(); !why.empty()) GTEST_SKIP() << why;
    int ran = 0;
    for (const auto& [m, n, k] : {std::tuple{1, 1, 1},
                                  {16, 16, 32},
                                  {31, 33, 31},
                                  {32, 32, 32},
                                  {33, 31, 33},
                                  {64, 96, 512},
                                  {65, 97, 513},
                                  {300, 200, 1100},
                                  {5, 4200, 70},
                                  {150, 1100, 600},
                                  {40, 80, 2100},
                                  {1100, 1120, 40},
                                  {4, 4, 0}})
        for (const int layouts : {0, 1, 2, 3})
            for (const int threads : {1, 3}) {
                core::problem p = core::row_major_problem(dtype::bf16, m, n, k);
                p.c_type = dtype::f32;
                if (layouts == 1) p.a_layout = core::column_major(m + 1);
                if (layouts == 2) p.b_layout = core::column_major(k + 3);
                if (layouts == 3) p.c_layout = core::column_major(m + 2);
                p.alpha = ran % 3 == 0 ? 1 : 2;
                p.beta = ran % 2 == 0 ? 0 : -1;
                ASSERT_EQ(wrong(step_, p, threads), "") << core::describe(p) << ", " << threads;
                ++ran;
            }
    EXPECT_EQ(ran, 13 * 4 * 2);
}

TEST_P(amx, without_a_product_leaves_beta_c) {
    if (const std::string why = step_.unavailable(); !why.empty()) GTEST_SKIP() << why;
    core::problem p = core::row_major_problem(dtype::bf16, 40, 50, 60);
    p.c_type = dtype::f32;
    p.alpha = 0;
    p.beta = 3;
    EXPECT_EQ(wrong(step_, p, 2), "");
}

TEST_P(amx, says_what_it_needs) {
    const std::string why = step_.unavailable();
    if (why.empty()) GTEST_SKIP() << "this machine has AMX";
    EXPECT_NE(why.find("AMX tile registers"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(steps, amx,
                         testing::Values("cpu.ladder.amx", "cpu.ladder.amx_blocked",
                                         "cpu.ladder.amx_streamed"),
                         [](const auto& p) {
                             return std::string(p.param).substr(std::string("cpu.ladder.").size());
                         });

}  // namespace
