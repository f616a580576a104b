// Plans for 16 to 128 threads, which need no machine that has as many: whether every thread has
// work, evenly, and whether sums have the bits that one thread gives them.
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

#include "plan/cpu_grid.hpp"
#include "plan/matrix_unit_plan.hpp"

namespace {

using namespace carat::plan;

constexpr kernel_shape f64_24x8{"gemm_f64_avx512_24x8", 24, 8, 8};
constexpr kernel_shape f32_48x8{"gemm_f32_avx512_48x8", 48, 8, 4};
constexpr machine sapphire_rapids{48 << 10, 2 << 20, 300 * (1 << 20) / 32};

// Sides of 16 to 16384, and 2e7 to 1e11 operations, as results/cpu/cores.json draws them.
std::vector<request> drawn_products(std::size_t count) {
    std::mt19937_64 random(1);
    const auto side = [&] {
        const double u = static_cast<double>(random() >> 11) * 0x1p-53;
        return static_cast<std::int64_t>(std::exp2(4 + u * 10));
    };
    std::vector<request> drawn;
    while (drawn.size() < count) {
        const request r{.m = side(), .n = side(), .k = side()};
        if (multiplications(r) > 1e7 && multiplications(r) < 5e10) drawn.push_back(r);
    }
    return drawn;
}

std::int64_t largest_part(std::int64_t extent, std::int64_t unit, int parts) {
    return std::min(extent, ceil_div(ceil_div(extent, unit), parts) * unit);
}

double product_of(std::int64_t a, std::int64_t b, std::int64_t c) {
    return static_cast<double>(a) * static_cast<double>(b) * static_cast<double>(c);
}

// The multiplications that each thread would have if all had the same, through those of the thread
// with most. Threads are those with at least 6 us of work, as docs/library.md promises.
double evenness(const cpu_plan& p, const request& r, const kernel_shape& kernel) {
    const double least = p.how == path::skinny ? 1 << 17 : double{3 << 19} / kernel.element_bytes;
    const double threads = std::min<double>(r.most_threads, std::floor(multiplications(r) / least));
    const int unit_n = p.how == path::skinny ? most_dot_columns : kernel.nr;
    const double most =
        product_of(largest_part(r.m, p.unit_m, p.threads_m), largest_part(r.n, unit_n, p.threads_n),
                   largest_part(r.k, p.blocks.kc, p.threads_k));
    return multiplications(r) / threads / most;
}

double evenness(const matrix_unit_plan& p, const request& r, const matrix_unit_shape& unit) {
    const double threads =
        std::min<double>(r.most_threads, std::floor(multiplications(r) / (1 << 22)));
    const double most = product_of(largest_part(r.m, unit.extent, p.threads_m),
                                   largest_part(r.n, unit.extent, p.threads_n), r.k);
    return multiplications(r) / threads / most;
}

double geometric_mean(const std::vector<double>& of) {
    double logarithms = 0;
    for (const double x : of) logarithms += std::log(x);
    return std::exp(logarithms / static_cast<double>(of.size()));
}

class many_threads : public testing::TestWithParam<int> {};

TEST_P(many_threads, have_even_work_and_one_threads_bits) {
    for (const kernel_shape& kernel : {f64_24x8, f32_48x8}) {
        std::vector<double> even;
        for (request r : drawn_products(500)) {
            const cpu_plan alone = make_cpu_plan(r, kernel, sapphire_rapids);
            r.most_threads = GetParam();
            const cpu_plan p = make_cpu_plan(r, kernel, sapphire_rapids);
            const std::string what = explain(p, r, kernel, sapphire_rapids);
            EXPECT_EQ(p.how, alone.how) << what;
            EXPECT_EQ(p.blocks.kc, alone.blocks.kc) << what;
            EXPECT_LE(p.threads(), r.most_threads) << what;
            even.push_back(evenness(p, r, kernel));
            EXPECT_GT(even.back(), GetParam() <= 64 ? 0.45 : 0.25) << what;
        }
        EXPECT_GT(geometric_mean(even), 0.85) << kernel.name;
    }
}

TEST_P(many_threads, of_matrix_units_have_even_work_and_one_threads_bits) {
    const matrix_unit_shape bf16{"bf16", 32, 32, 2};
    std::vector<double> even;
    for (request r : drawn_products(500)) {
        if (multiplications(r) < 5e8) continue;
        const std::int64_t kc = make_matrix_unit_plan(r, bf16, sapphire_rapids).blocks.kc;
        r.most_threads = GetParam();
        const matrix_unit_plan p = make_matrix_unit_plan(r, bf16, sapphire_rapids);
        EXPECT_EQ(p.blocks.kc, kc) << explain(p, r, bf16, sapphire_rapids);
        even.push_back(evenness(p, r, bf16));
    }
    EXPECT_GT(geometric_mean(even), GetParam() <= 64 ? 0.85 : 0.7);
}

TEST_P(many_threads, all_multiply_squares) {
    for (const std::int64_t size : {1024, 2048, 4096, 8192})
        for (const kernel_shape& kernel : {f64_24x8, f32_48x8}) {
            const request r{.m = size, .n = size, .k = size, .most_threads = GetParam()};
            const cpu_plan p = make_cpu_plan(r, kernel, sapphire_rapids);
            EXPECT_GT(evenness(p, r, kernel), 0.8) << explain(p, r, kernel, sapphire_rapids);
        }
}

INSTANTIATE_TEST_SUITE_P(up_to, many_threads, testing::Values(2, 16, 32, 64, 128));

}  // namespace
