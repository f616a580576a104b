// Clusters of single tiles that multicast A to those beside each other and B to those below each
// other: every kernel of the table in every shape of cluster, where rows and columns of tiles are
// missing, with K shorter than the pipeline and longer.
#include <gtest/gtest.h>
#include <utility>

#include "cuda/common/device.hpp"
#include "cuda/families/wgmma/kernel_table.hpp"
#include "lab/rows/cuda/table.hpp"
#include "tests/cuda/epilogue_fixture.hpp"
#include "tests/cuda/sweep.hpp"

namespace {

using namespace carat;
using arithmetic = core::gpu_arithmetic;
using core::accumulation;
using core::kernel_desc;
using core::operand_major;

struct typed_row {
    const char* name;
    arithmetic how;
    core::signature of;
};

constexpr typed_row typed_rows[] = {
    {"bf16", arithmetic::native, {dtype::bf16, dtype::bf16, dtype::bf16, ""}},
    {"bf16_to_f32", arithmetic::native, {dtype::bf16, dtype::bf16, dtype::f32, ""}},
    {"f16", arithmetic::native, {dtype::f16, dtype::f16, dtype::f16, ""}},
    {"i8", arithmetic::native, {dtype::i8, dtype::i8, dtype::i32, ""}},
    {"e4m3", arithmetic::native, {dtype::e4m3, dtype::e4m3, dtype::bf16, ""}},
    {"e4m3_fast", arithmetic::fast_fp8, {dtype::e4m3, dtype::e4m3, dtype::f32, ""}},
    {"e4m3_scaled", arithmetic::fp8_blocks, {dtype::e4m3, dtype::e4m3, dtype::bf16, ""}},
    {"tf32", arithmetic::tf32, {dtype::f32, dtype::f32, dtype::f32, ""}},
    {"three_tf32", arithmetic::three_tf32, {dtype::f32, dtype::f32, dtype::f32, ""}}};

void PrintTo(const typed_row& t, std::ostream* to) {
    *to << t.name;
}

class multicast : public testing::TestWithParam<typed_row> {
  protected:
    void SetUp() override {
        if (const std::string why = cuda::unavailable_in_use(); !why.empty())
            GTEST_SKIP() << "no GPU test can run: " << why;
        const core::problem any = test::along_k_problem(GetParam().of, 16, 16, 16);
        if (const std::string why = entry().unsupported(any, {}); !why.empty()) GTEST_SKIP() << why;
    }
    static const rows::implementation& entry() { return rows::cuda::row_of(GetParam().how); }

    static bool is_single_tile(const kernel_desc& k) {
        const core::signature& t = GetParam().of;
        return !k.is_persistent() && k.a_type == t.a && k.b_type == t.b &&
               k.accumulate == core::accumulation_for(GetParam().how, t.a);
    }
    // The layouts that this kernel reads.
    static core::problem problem(const kernel_desc& k, std::int64_t m, std::int64_t n,
                                 std::int64_t depth) {
        core::problem p = test::along_k_problem(GetParam().of, m, n, depth);
        if (k.a_major == operand_major::mn) p.a_layout = core::column_major(m);
        if (k.b_major == operand_major::mn) p.b_layout = core::row_major(n);
        p.alpha = 2;
        return p;
    }
    static core::settings settings(const kernel_desc& k, int split_k, int cluster_m,
                                   int cluster_n) {
        return {1,
                {{"block_m", k.block_m},
                 {"block_n", k.block_n},
                 {"schedule", 1},
                 {"split_k", split_k},
                 {"cluster_m", cluster_m},
                 {"cluster_n", cluster_n}}};
    }
    // Such a plan, and its product to the last bit.
    static void expect_exact(const core::problem& p, const core::settings& how, int cluster_n) {
        ASSERT_EQ(entry().unsupported(p, how), "");
        ASSERT_EQ(test::check(entry(), how, {p, 0}), "") << describe(p);
        const std::string why = entry().prepare(p, how)->planned().why;
        EXPECT_NE(why.find("A multicast to " + std::to_string(cluster_n)), std::string::npos)
            << why;
    }
};

TEST_P(multicast, every_shape_of_cluster_is_exact) {
    int count = 0;
    for (const kernel_desc& k : cuda::wgmma::kernel_table) {
        if (!is_single_tile(k)) continue;
        for (const auto& [m, n] : {std::pair{1, 2}, {1, 4}, {2, 2}, {2, 4}, {4, 2}}) {
            if (m > k.most_cluster_m) continue;
            SCOPED_TRACE(std::string(core::kernel_name(k).view()) + " in clusters of " +
                         std::to_string(m) + " x " + std::to_string(n));
            // The last cluster lacks half a tile, or has a row or a column of the next one.
            const std::int64_t rows =
                m * k.block_m + (count % 2 == 0 ? 8 : -k.block_m / 2) - (count % 4 == 0 ? 0 : 8);
            const std::int64_t columns = count % 3 == 0 ? n * k.block_n + 8 : 2 * n * k.block_n - 8;
            // K is a single k-tile, longer than the pipeline, or shorter.
            const std::int64_t k_tiles = count % 7 < 2 ? 1 : count % 7 < 4 ? 37 : 5;
            const bool may_be_odd =
                k.a_major == operand_major::k && k.b_major == operand_major::k && count % 2 == 1;
            core::problem p =
                problem(k, rows, columns - (may_be_odd ? 3 : 0), k_tiles * k.block_k() - 16);
            if (count % 3 == 1) p.c_layout = core::column_major(p.m);
            p.beta = count % 4 == 0 ? -1 : 0;
            expect_exact(p, settings(k, 1, m, n), n);
            ++count;
        }
    }
    EXPECT_GT(count, 10);
}

TEST_P(multicast, clusters_that_also_split_k_are_exact) {
    int count = 0;
    for (const kernel_desc& k : cuda::wgmma::kernel_table) {
        if (!is_single_tile(k)) continue;
        for (const auto& [split_k, m, n] : {std::tuple{2, 1, 2}, {2, 2, 2}, {4, 1, 2}, {2, 1, 4}}) {
            SCOPED_TRACE(std::string(core::kernel_name(k).view()) + ", K in " +
                         std::to_string(split_k) + " in clusters of " + std::to_string(m) + " x " +
                         std::to_string(n));
            core::problem p = problem(k, 328, count % 2 == 0 ? 136 : 344, 33 * k.block_k());
            if (count % 3 == 2) p.c_layout = core::column_major(p.m);
            p.beta = count++ % 4 == 0 ? -1 : 0;
            expect_exact(p, settings(k, split_k, m, n), n);
        }
    }
    EXPECT_GT(count, 7);
}

// Tiles beyond the rows and columns of C read no scale, bias or E.
class fused_multicast : public test::epilogue_fixture {};

TEST_F(fused_multicast, epilogues_are_exact_where_tiles_are_missing) {
    int count = 0;
    for (const dtype type : {dtype::bf16, dtype::f32})
        for (const int block_n : {16, 64, 96, 128, 160})
            for (const auto& [split_k, m, n] :
                 {std::tuple{1, 1, 2}, {1, 2, 2}, {1, 2, 4}, {1, 4, 2}, {1, 1, 4}, {2, 2, 2}})
                for (const bool by_columns : {false, true}) {
                    if (block_n == 16 && m > 2) continue;
                    test::fused_case a;
                    a.p = core::row_major_problem(dtype::bf16, 130, 264, 200);
                    a.p.b_layout = core::column_major(a.p.k);
                    a.p.c_type = type;
                    if (by_columns) a.p.c_layout = core::column_major(a.p.m + count % 2 * 6);
                    a.p.beta = count % 3 == 0 ? 0 : -2;
                    a.s.tunables = {{"block_n", block_n},
                                    {"schedule", 1},
                                    {"split_k", split_k},
                                    {"cluster_m", m},
                                    {"cluster_n", n}};
                    a.scales = count % 2 == 0;
                    a.biases = true;
                    a.per_row = count % 5 < 2;
                    a.adds = count % 4 < 2;
                    a.then = count % 3 == 1 ? cuda::activation::relu : cuda::activation::none;
                    ASSERT_EQ(check(a, type == dtype::f32 ? 0 : 0x1p-8), "")
                        << describe(a.p) << " into " << name(type) << " tile " << block_n
                        << ", K in " << split_k << ", clusters of " << m << " x " << n
                        << (by_columns ? " by columns" : "");
                    ++count;
                }
    EXPECT_GT(count, 100);
}

// Such kernels begin before those ahead of them have ended, and end while others of their cluster
// still read what they sent.
TEST_P(multicast, products_of_a_stream_are_exact_again_and_again) {
    const core::problem p = test::along_k_problem(GetParam().of, 600, 520, 720);
    const core::settings how{1, {{"schedule", 1}, {"cluster_m", 4}, {"cluster_n", 2}}};
    for (int i = 0; i < 30; ++i) ASSERT_EQ(test::check(entry(), how, {p, 0}), "") << i;
}

INSTANTIATE_TEST_SUITE_P(cuda, multicast, testing::ValuesIn(typed_rows),
                         [](const auto& of) { return std::string(of.param.name); });

}  // namespace
