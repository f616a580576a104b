// Consecutive cooperative tiles in one CTA, two or three to a CTA; and every tile in clusters that
// multicast B.
#include <gtest/gtest.h>

#include "cuda/common/device.hpp"
#include "cuda/families/wgmma/kernel_table.hpp"
#include "lab/rows/cuda/table.hpp"
#include "tests/cuda/sweep.hpp"
#include "tests/parameters.hpp"

namespace {

using namespace carat;

constexpr core::signature types[] = {
    {dtype::bf16, dtype::bf16, dtype::f32, ""}, {dtype::bf16, dtype::bf16, dtype::bf16, ""},
    {dtype::f16, dtype::f16, dtype::f16, ""},   {dtype::i8, dtype::i8, dtype::i32, ""},
    {dtype::e4m3, dtype::e4m3, dtype::f32, ""}, {dtype::e4m3, dtype::e4m3, dtype::bf16, ""}};

class wide : public testing::TestWithParam<core::signature> {
  protected:
    void SetUp() override {
        if (const std::string why = cuda::unavailable_in_use(); !why.empty())
            GTEST_SKIP() << "no GPU test can run: " << why;
        if (const std::string why = entry().unsupported(problem(16, 16, 16), {}); !why.empty())
            GTEST_SKIP() << why;
    }
    // fp8 is summed by the tensor cores alone in the last row.
    static const rows::implementation& entry() {
        return *rows::cuda::table()[is_fp8(GetParam().a) ? 3 : 0];
    }
    static core::problem problem(std::int64_t m, std::int64_t n, std::int64_t k) {
        core::problem p = test::along_k_problem(GetParam(), m, n, k);
        p.alpha = 2;
        return p;
    }
};

TEST_P(wide, tiles_that_follow_each_other_are_exact) {
    for (const std::int64_t width : {160, 192, 224, 256})
        for (const std::int64_t k : {144, 784})
            for (const int beta : {0, -1}) {
                if (size_bytes(GetParam().a) < 2 && width != 192 && width != 256) continue;
                const core::settings how{1, {{"block_n", width}}};
                core::problem p = problem(129, 140 * 192 - 16, k);
                p.beta = beta;
                EXPECT_EQ(test::check(entry(), how, {p, 0}), "") << width;
            }
}

// Rows of E that begin between words or 16 bytes, that end within a tile, and that end with it.
TEST_P(wide, e_that_tma_cannot_load_is_exact) {
    for (const std::int64_t width : {128, 160, 192, 224, 256})
        for (const auto& [columns, stride] : {std::pair{687, 687}, {640, 641}, {690, 690}}) {
            if (size_bytes(GetParam().a) < 2 && width % 64 != 0) continue;
            core::settings how{1, {{"block_n", width}, {"schedule", width == 128 ? 3 : 2}}};
            core::problem p = problem(297, columns, 208);
            p.c_layout = core::row_major(stride);
            p.beta = -1;
            EXPECT_EQ(test::check(entry(), how, {p, 0}), "") << width << ", " << columns;
        }
}

// Any number of k-blocks, since the tensor cores take four in a row. Sums start again with each
// tile.
TEST_P(wide, promoted_sums_of_any_number_of_steps_are_exact) {
    if (!is_fp8(GetParam().a)) GTEST_SKIP() << "nothing is promoted";
    const core::settings how{1, {{"block_n", 256}, {"stream_k", 1}}};
    struct extent {
        std::int64_t columns, k;
    };
    for (const auto& [columns, k] :
         {extent{600, 528}, {600, 768}, {600, 896}, {600, 1024}, {140 * 192 - 16, 272}}) {
        const core::problem p = problem(129, columns, k);
        EXPECT_EQ(test::check(*rows::cuda::table()[0], how, {p, 0}), "") << describe(p);
    }
}

// Promoted sums in tiles of 192 rows, in clusters of adjacent tiles that multicast A: several
// waves, more than a swizzle band of rows, fewer rows or columns than a cluster has, C row- and
// column-major.
TEST_P(wide, tiles_beside_each_other_are_exact) {
    if (!is_fp8(GetParam().a)) GTEST_SKIP() << "has none";
    const rows::implementation& promoted = *rows::cuda::table()[0];
    struct extent {
        std::int64_t rows, columns, k;
    };
    int count = 0;
    for (const auto& [rows, columns, k] : {extent{129, 140 * 256 - 16, 144},
                                           {1700, 2045, 272},
                                           {193, 257, 1040},
                                           {1, 129, 16},
                                           {192, 100, 784},
                                           {400, 1, 528}})
        for (const bool by_columns : {false, true}) {
            core::problem p = problem(rows, columns, k);
            if (by_columns) p.c_layout = core::column_major(rows);
            p.beta = count++ % 3 == 0 ? -1 : 0;
            const core::settings how{1, {{"block_n", 128}, {"block_m", 192}}};
            EXPECT_EQ(test::check(promoted, how, {p, 0}), "") << describe(p);
            const std::string why = promoted.prepare(p, how)->planned().why;
            EXPECT_NE(why.find("tiles of 192 x 128"), std::string::npos) << why;
            EXPECT_NE(why.find("A multicast to 2 CTAs"), std::string::npos) << why;
        }
}

// Two, three and four tiles to a CTA, by any warpgroup, with K within the pipeline and beyond it.
TEST_P(wide, tiles_apart_are_exact) {
    struct extent {
        std::int64_t columns, k;
    };
    for (const auto& [columns, k] :
         {extent{3, 1600}, {70 * 128, 784}, {140 * 128 - 16, 144}, {266 * 128, 16}})
        for (const int beta : {0, -1}) {
            core::problem p = problem(129, columns, k);
            p.beta = beta;
            const core::settings how{1, {{"schedule", 3}}};
            ASSERT_EQ(test::check(entry(), how, {p, 0}), "") << describe(p);
        }
}

TEST_P(wide, tiles_apart_of_any_layouts_are_exact) {
    if (size_bytes(GetParam().a) != 2) GTEST_SKIP() << "packed along K";
    for (const bool a_across : {false, true})
        for (const bool b_across : {false, true})
            for (const bool c_by_columns : {false, true}) {
                core::problem p = problem(264, 131 * 128 + 8, 72);
                if (a_across) p.a_layout = core::column_major(264);
                if (b_across) p.b_layout = core::row_major(131 * 128 + 8);
                if (c_by_columns) p.c_layout = core::column_major(272);
                const core::settings how{1, {{"schedule", 3}}};
                ASSERT_EQ(test::check(entry(), how, {p, 0}), "") << describe(p);
            }
}

// The layouts that this kernel reads.
core::problem lying_for(const core::kernel_desc& k, core::problem p) {
    p.a_layout =
        k.a_major == core::operand_major::k ? core::row_major(p.k) : core::column_major(p.m);
    p.b_layout =
        k.b_major == core::operand_major::k ? core::column_major(p.k) : core::row_major(p.n);
    return p;
}

// Every kernel of the table, single and in multicast clusters, C row- and column-major; sizes that
// no tile divides.
TEST_P(wide, every_kernel_is_exact_however_c_lies) {
    int count = 0;
    for (const core::kernel_desc& k : cuda::wgmma::kernel_table) {
        if (k.a_type != GetParam().a || k.b_type != GetParam().b || k.stream_k || k.batched ||
            k.accumulate != core::accumulation::native)
            continue;
        for (int cluster_m = 1; cluster_m <= k.most_cluster_m; cluster_m *= 2)
            for (const bool by_columns : {false, true}) {
                // Rows of multiples of 16 bytes and others, which TMA can and cannot store.
                core::problem p =
                    lying_for(k, count % 3 == 0 ? problem(328, 520, 264) : problem(296, 687, 200));
                if (by_columns) p.c_layout = core::column_major(p.m);
                p.beta = count++ % 3 == 0 ? -1 : 0;
                const core::settings how{1,
                                         {{"block_m", k.block_m},
                                          {"block_n", k.block_n},
                                          {"schedule", 1 + static_cast<int>(k.schedule)},
                                          {"cluster_m", cluster_m}}};
                EXPECT_EQ(test::check(entry(), how, {p, 0}), "")
                    << core::kernel_name(k).view() << ", cluster_m " << cluster_m;
            }
    }
    EXPECT_GT(count, 30);
}

// CTAs of a cluster that split K and multicast B to those of the same split.
TEST_P(wide, single_tiles_that_split_k_and_share_b_are_exact) {
    int count = 0;
    for (const core::kernel_desc& k : cuda::wgmma::kernel_table) {
        if (k.a_type != GetParam().a || k.b_type != GetParam().b || k.is_persistent() ||
            k.accumulate != core::accumulation::native)
            continue;
        for (const auto& [splits, cluster_m] : {std::pair{2, 2}, {4, 2}, {2, 4}}) {
            if (cluster_m > k.most_cluster_m) continue;
            core::problem p = lying_for(k, problem(328, count % 2 == 0 ? 136 : 173, 528));
            if (count % 3 == 2) p.c_layout = core::column_major(p.m);
            p.beta = count++ % 4 == 0 ? -1 : 0;
            const core::settings how{1,
                                     {{"block_m", k.block_m},
                                      {"block_n", k.block_n},
                                      {"schedule", 1},
                                      {"split_k", splits},
                                      {"cluster_m", cluster_m}}};
            EXPECT_EQ(test::check(entry(), how, {p, 0}), "")
                << core::kernel_name(k).view() << ", K in " << splits << ", cluster_m "
                << cluster_m;
            const std::string why = entry().prepare(p, how)->planned().why;
            EXPECT_NE(why.find("multicast to " + std::to_string(cluster_m)), std::string::npos)
                << why;
        }
    }
    EXPECT_GT(count, 10);
}

// Some parts have a step more than others, and some have a single step.
TEST_P(wide, k_shared_by_any_number_of_blocks_is_exact) {
    const auto line = static_cast<std::int64_t>(128 / size_bytes(GetParam().a));
    int count = 0;
    for (const std::int64_t width : {16, 32, 64, 128, 160})
        for (const std::int64_t rows : {64, 128})
            for (const std::int64_t parts : {2, 4, 8})
                for (const std::int64_t steps : {std::int64_t{8}, std::int64_t{45}}) {
                    // Rows of C in multiples of 16 bytes, columns, and unaligned rows.
                    core::problem p = problem(200, count % 4 < 2 ? 168 : 167, steps * line - 8);
                    if (count % 2 == 1) p.c_layout = core::column_major(200);
                    p.beta = count % 3 == 0 ? -1 : 0;
                    const core::settings how{
                        1, {{"block_n", width}, {"block_m", rows}, {"split_k", parts}}};
                    if (!entry().unsupported(p, how).empty()) continue;
                    EXPECT_EQ(test::check(entry(), how, {p, 0}), "")
                        << width << " columns, " << rows << " rows, " << parts << " parts";
                    ++count;
                }
}

// Kernels with narrow tiles begin before their predecessors have ended, as many as fit: each moves
// the columns that the previous one wrote.
TEST_P(wide, products_that_follow_each_other_read_what_was_written) {
    if (GetParam().a != GetParam().c) GTEST_SKIP() << "C can't be the next one's A";
    constexpr std::int64_t rows = 16;
    constexpr std::int64_t columns = 1024;
    constexpr std::int64_t products = 200;
    core::problem p = problem(rows, columns, columns);
    p.alpha = 1;
    test::operand_set data(p, 0);
    data.a.fill('a');
    for (std::int64_t i = 0; i < columns; ++i)
        for (std::int64_t j = 0; j < columns; ++j) data.b.set(i, j, (i + 1) % columns == j ? 1 : 0);
    for (const std::int64_t room : {1, 2, 3})
        for (const std::int64_t parts : {1, 8}) {
            const core::settings how{1,
                                     {{"block_n", 16}, {"split_k", parts}, {"ctas_per_sm", room}}};
            test::guarded c = data.c;
            test::run_chain_on_device(entry(), p, how, data, products, c);
            std::int64_t wrong = 0;
            for (std::int64_t i = 0; i < rows; ++i)
                for (std::int64_t j = 0; j < columns; ++j)
                    wrong += c.get(i, (j + products) % columns) != data.a.get(i, j) ? 1 : 0;
            EXPECT_EQ(wrong, 0) << parts << " parts, room for " << room;
        }
}

// C at any address, with any number of columns in its last tile.
TEST_P(wide, rows_of_c_may_begin_and_end_anywhere) {
    int count = 0;
    for (const std::int64_t width : {0, 160, 192, 224, 256})
        for (const std::int64_t columns : {256 + 1, 256 + 7, 256 + 8, 300, 320 + 5, 512 - 1})
            for (const std::int64_t offset : {0, 1, 2, 7}) {
                core::problem p = problem(150, columns, 48);
                p.c_layout.row_stride = columns + count % 5;
                p.beta = count % 3 == 1 ? -1 : 0;
                core::settings how{1, {{"block_n", width}}};
                if (width == 0) how.tunables = {{"schedule", 3}};
                if (!entry().unsupported(p, how).empty()) continue;
                EXPECT_EQ(test::check(entry(), how, {p, offset}), "")
                    << columns << " columns by tiles of " << width << ", offset " << offset;
                ++count;
            }
}

// The same while the next tiles are multiplied: other warps store half a tile, but not that of a
// last tile with less of a row than is stored at once.
TEST_P(wide, tiles_leave_in_halves_beside_those_that_follow) {
    for (const std::int64_t width : {192, 256})
        for (const std::int64_t columns : {5, 8, 127, 128, 131, 191}) {
            core::problem p = problem(150, 200 * width + columns, 48);
            p.c_layout.row_stride += columns % 2;
            EXPECT_EQ(test::check(entry(), {1, {{"block_n", width}}}, {p, columns % 3}), "")
                << columns << " columns in the last of tiles of " << width;
        }
}

TEST_P(wide, rows_of_c_of_tiles_beside_each_other_may_begin_and_end_anywhere) {
    if (!is_fp8(GetParam().a)) GTEST_SKIP() << "has none";
    int count = 0;
    for (const std::int64_t columns : {128 + 1, 128 + 7, 256 + 8, 300, 384 + 5, 512 - 1})
        for (const std::int64_t offset : {0, 1, 2, 7})
            for (const int beta : {0, -1}) {
                core::problem p = problem(250, columns, 48);
                p.c_layout.row_stride = columns + count++ % 5;
                p.beta = beta;
                const core::settings how{1, {{"block_n", 128}, {"block_m", 192}}};
                EXPECT_EQ(test::check(*rows::cuda::table()[0], how, {p, offset}), "")
                    << columns << " columns, offset " << offset;
            }
}

// TMA cannot read such lines: a kernel packs them before.
TEST_P(wide, what_is_packed_first_is_exact) {
    const auto step = static_cast<std::int64_t>(128 / size_bytes(GetParam().a));
    const bool of_16_bits = size_bytes(GetParam().a) == 2;
    for (const int kinds : {0, 1, 2, 3}) {
        if (!of_16_bits && kinds != 2) continue;
        for (const std::int64_t offset : {0, 3})
            for (const std::int64_t k : {60 * step + 1, 88 * step - 9}) {
                core::problem p = problem(413, 1021, k);
                p.a_layout = (kinds & 2) != 0 ? core::row_major(k) : core::column_major(413);
                p.b_layout = (kinds & 1) != 0 ? core::row_major(1021) : core::column_major(k);
                for (const core::settings& how :
                     {core::settings{1, {{"block_n", 256}}}, core::settings{1, {{"schedule", 3}}},
                      core::settings{1, {{"block_n", 256}, {"stream_k", 2}}}}) {
                    p.beta = p.beta == 0 ? -1 : 0;
                    EXPECT_EQ(test::check(entry(), how, {p, offset}), "")
                        << describe(p) << ", kinds " << kinds << ", offset " << offset;
                }
            }
    }
}

// An A of one column is contiguous in both dimensions, but not MN-major for those tiles.
TEST_P(wide, one_column_that_begins_anywhere_is_exact) {
    for (const std::int64_t rows : {256, 2048, 2250})
        for (const std::int64_t offset : {0, 1, 8}) {
            core::problem p = problem(rows, 264, 1);
            p.a_layout = {1, 1};
            p.b_layout = core::row_major(p.n);
            EXPECT_EQ(test::check(entry(), {1, {{"block_n", 192}}}, {p, offset}), "")
                << rows << " rows, offset " << offset;
        }
}

INSTANTIATE_TEST_SUITE_P(cuda, wide, testing::ValuesIn(types), test::as_printed);

}  // namespace
