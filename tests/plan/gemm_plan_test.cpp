// Which kernel takes which product: limits that no plan may break, what was asked for, and what
// every choice must weigh.
#include "plan/gemm_plan.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <optional>

#include "plan/gemm_cost.hpp"
#include "tests/plan/gemm_case.hpp"

namespace {

using namespace carat;
using namespace carat::test;
using plan::ctas_at_a_time;

// Persistent kernels write rows, unless A and B can't be swapped.
bool writes_rows(const gemm_plan& plan, const gemm_request& of) {
    if (!plan.kernel->is_persistent() || of.accumulate == accumulation::blockwise) return true;
    return plan.swap_ab == !of.c_by_rows || plan.kernel->a_from_registers();
}

TEST(plan_gemm, is_launched_as_its_kernel_can_be) {
    for (gemm_request r : requests())
        for (const int block_n : {0, 64, 256})
            for (const int split_k : {0, 1, 8}) {
                r.asked.block_n = block_n;
                r.asked.split_k = split_k;
                const std::optional<gemm_plan> found = plan::plan_gemm(r, h200);
                ASSERT_TRUE(found)
                    << testing::PrintToString(r) << ", " << block_n << " columns, K in " << split_k;
                const gemm_plan plan = *found;
                const core::kernel_desc& k = *plan.kernel;
                SCOPED_TRACE(testing::PrintToString(plan));
                EXPECT_TRUE(reads_so(plan, r));
                EXPECT_TRUE(block_n == 0 || k.block_n == block_n);
                EXPECT_LE(plan.cluster_m * plan.cluster_n * plan.split_k, 8);
                EXPECT_TRUE(std::ranges::count(std::array{1, 2, 4, 8}, plan.split_k) == 1);
                EXPECT_LE(plan.split_k, k.most_split_k);
                EXPECT_LE(plan.cluster_m, std::max(k.cluster_m, k.most_cluster_m));
                EXPECT_LE(plan.cluster_n,
                          std::max(k.cluster_n, k.is_persistent() ? 1 : plan::most_cluster_n));
                // Registers and shared memory are enough for so many.
                EXPECT_LE(plan.ctas_per_sm, k.is_persistent()                    ? 1
                                            : k.block_m == 64 && k.block_n <= 64 ? 3
                                                                                 : 2);
                // Every part has something to multiply.
                EXPECT_LE((plan.split_k - 1) * 128, r.bytes_of(r.k));
                EXPECT_TRUE(split_k == 0 || plan.split_k <= split_k);
                EXPECT_TRUE(writes_rows(plan, r));
                EXPECT_GT(plan.seconds, 0);
            }
}

TEST(plan_gemm, takes_the_tile_that_was_asked_for_or_says_which_there_are) {
    gemm_request r = row_major(1000, 1000, 1000);
    for (const auto& [block_m, block_n] :
         {std::array{64, 224}, {128, 100}, {192, 128}, {64, 192}}) {
        r.asked = {.block_m = block_m, .block_n = block_n};
        EXPECT_FALSE(plan::plan_gemm(r, h200)) << block_m << " x " << block_n;
        const std::string why = plan::reason_against(r, h200);
        EXPECT_NE(why.find("block_m=" + std::to_string(block_m) +
                           " block_n=" + std::to_string(block_n) + " for bf16 by bf16"),
                  std::string::npos)
            << why;
        EXPECT_NE(why.find("64 x 160 single_tile"), std::string::npos) << why;
    }
    r.asked = {.block_n = 256, .schedule = kernel_schedule::pingpong};
    EXPECT_FALSE(plan::plan_gemm(r, h200));
    EXPECT_NE(plan::reason_against(r, h200).find("schedule=pingpong"), std::string::npos);
    r.asked = {};
    const gemm_plan first = plan_of(r);
    r.asked = {.not_block_m = first.kernel->block_m, .not_block_n = first.kernel->block_n};
    const gemm_plan next = plan_of(r);
    EXPECT_NE(std::pair(next.kernel->block_m, next.kernel->block_n),
              std::pair(first.kernel->block_m, first.kernel->block_n));
    EXPECT_GE(next.seconds, first.seconds);
    r.asked = {.block_n = 16};
    EXPECT_TRUE(plan_of(r).swap_ab) << "whole lines of B";
    r.a_major = operand_major::mn;
    EXPECT_FALSE(plan::plan_gemm(r, h200));
    gemm_request scaled = of_type(dtype::e4m3, 512, accumulation::blockwise);
    scaled.asked.block_n = 192;
    EXPECT_FALSE(plan::plan_gemm(scaled, h200)) << "a block of scales would lie in two tiles";
}

// Where a tile exists it is launched as closely to what was asked for as it can be; else
// reason_against() says why not.
TEST(plan_gemm, has_a_plan_unless_it_has_a_reason) {
    for (gemm_request r : kinds()) {
        r.m = r.n = r.k = 1000;
        for (const int block_n : {0, 16, 64, 128, 256})
            for (const int split_k : {0, 1, 2, 8})
                for (const auto& [cluster_m, cluster_n] :
                     {std::pair{0, 0}, {1, 1}, {2, 0}, {4, 2}, {0, 4}})
                    for (const int ctas_per_sm : {0, 1, 3})
                        for (const choice stream_k : {choice::free, choice::no, choice::yes}) {
                            r.asked = {.block_n = block_n,
                                       .split_k = split_k,
                                       .cluster_m = cluster_m,
                                       .cluster_n = cluster_n,
                                       .ctas_per_sm = ctas_per_sm,
                                       .stream_k = stream_k};
                            ASSERT_EQ(plan::plan_gemm(r, h200).has_value(),
                                      plan::reason_against(r, h200).empty())
                                << testing::PrintToString(r) << ", " << block_n << " columns, K in "
                                << split_k << ", clusters of " << cluster_m << " x " << cluster_n
                                << ", " << ctas_per_sm << " to an SM";
                        }
    }
}

// Clusters of tiles below each other, whatever they share.
std::int64_t clusters_of(const gemm_request& r, const gemm_plan& plan) {
    const std::int64_t m = plan.swap_ab ? r.n : r.m;
    const std::int64_t n = plan.swap_ab ? r.m : r.n;
    const std::int64_t rows = std::int64_t{plan.cluster_m * plan.cluster_n} * plan.kernel->block_m;
    return ((m + rows - 1) / rows) * ((n + plan.kernel->block_n - 1) / plan.kernel->block_n);
}

TEST(plan_gemm, cuts_along_k_only_where_a_wave_is_left_partly_filled) {
    int cut = 0;
    for (gemm_request r : requests())
        for (const int block_n : {0, 256})
            for (const choice stream_k : {choice::free, choice::no, choice::yes}) {
                r.asked.block_n = block_n;
                r.asked.stream_k = stream_k;
                const gemm_plan plan = plan_of(r);
                const std::int64_t slots = r.sms / 2;
                const std::int64_t clusters = clusters_of(r, plan);
                const bool fits = clusters % slots != 0 && (clusters > slots || !is_pingpong(plan));
                SCOPED_TRACE(testing::PrintToString(plan));
                EXPECT_TRUE(fits || !plan.kernel->stream_k);
                EXPECT_TRUE(stream_k != choice::no || !plan.kernel->stream_k);
                cut += plan.kernel->stream_k ? 1 : 0;
            }
    EXPECT_GT(cut, 100);
}

TEST(plan_gemm, cuts_along_k_where_that_is_asked_for_and_a_kernel_does) {
    gemm_request r = row_major(4096, 4096, 512);
    r.asked = {.schedule = kernel_schedule::pingpong, .stream_k = choice::yes};
    EXPECT_TRUE(plan_of(r).kernel->stream_k);
    r.asked = {.block_n = 256, .stream_k = choice::yes};
    EXPECT_TRUE(plan_of(r).kernel->stream_k);
    r.asked = {.block_n = 224, .stream_k = choice::yes};
    EXPECT_FALSE(plan_of(r).kernel->stream_k) << "there is no such kernel";
}

// Sums of fewer tiles than clusters are added up, as those of split-K are.
TEST(plan_gemm, cuts_few_tiles_only_where_k_may_be_split) {
    gemm_request r = row_major(264, 2312, 9016);
    r.asked = {.schedule = kernel_schedule::cooperative, .stream_k = choice::yes};
    EXPECT_TRUE(plan_of(r).kernel->stream_k);
    r.asked.split_k = 1;
    EXPECT_FALSE(plan_of(r).kernel->stream_k);
}

TEST(clusters_that_share, have_enough_of_k_and_of_a_tile) {
    core::kernel_desc k{};
    k.schedule = kernel_schedule::cooperative;
    EXPECT_EQ(plan::clusters_that_share(k, 40, 1000, 66), 66);
    EXPECT_EQ(plan::clusters_that_share(k, 70, 1000, 66), 66) << "more than there are";
    EXPECT_EQ(plan::clusters_that_share(k, 5, 1000, 66), 20) << "four to a tile";
    EXPECT_EQ(plan::clusters_that_share(k, 5, 12, 66), 10) << "six k-blocks each";
    EXPECT_EQ(plan::clusters_that_share(k, 5, 3, 66), 5) << "none is divided";
    k.schedule = kernel_schedule::pingpong;
    EXPECT_EQ(plan::clusters_that_share(k, 40, 1000, 66), 40);
}

// The tensor cores read them along K only; one of two may go through registers instead, as A.
TEST(plan_gemm, elements_of_4_bytes_across_k_are_always_a) {
    for (gemm_request r : requests()) {
        if (r.a_type != dtype::f32 || r.a_major == r.b_major) continue;
        for (const int block_n : {0, 16, 256}) {
            r.asked.block_n = block_n;
            EXPECT_EQ(plan_of(r).swap_ab, r.b_major == operand_major::mn);
        }
    }
}

TEST(plan_gemm, a_product_and_its_transpose_are_the_same_work) {
    for (const gemm_request& r : requests()) {
        if (r.accumulate == accumulation::blockwise) continue;  // never swapped
        gemm_request t = r;
        std::swap(t.m, t.n);
        std::swap(t.a_type, t.b_type);
        t.a_major = r.b_major;
        t.b_major = r.a_major;
        t.a_on_sectors = r.b_on_sectors;
        t.b_on_sectors = r.a_on_sectors;
        t.c_by_rows = !r.c_by_rows;
        const gemm_plan one = plan_of(r);
        const gemm_plan other = plan_of(t);
        EXPECT_EQ(one.seconds, other.seconds);
        EXPECT_EQ(one.kernel->block_n, other.kernel->block_n);
        EXPECT_EQ(one.split_k, other.split_k);
        EXPECT_EQ(one.cluster_m, other.cluster_m);
        EXPECT_EQ(one.kernel->stream_k, other.kernel->stream_k);
        EXPECT_NE(one.swap_ab, other.swap_ab);
    }
}

TEST(plan_gemm, large_products_take_wide_tiles) {
    for (const plan::gemm_model& gpu : {h100, h200})
        for (const std::int64_t size : {2048, 4096, 8192}) {
            const gemm_plan plan = plan::plan_gemm(row_major(size, size, size), gpu).value();
            EXPECT_TRUE(plan.kernel->block_n >= 192 || is_pingpong(plan)) << size;
        }
}

// An SM does 4096 operations on 16 bits in a cycle, and an H200 runs at 1.98 GHz at most.
TEST(plan_gemm, expects_no_more_than_the_tensor_cores_can_do) {
    for (gemm_request of : kinds())
        for (const std::int64_t size : {128, 512, 1024, 4096, 16384}) {
            of.m = of.n = of.k = size;
            const double rate = 132 * 4096 * 1.98e9 * 2 / static_cast<double>(of.bytes_of(1));
            const double flop = 2.0 * static_cast<double>(size * size * size);
            EXPECT_LT(flop / plan_of(of).seconds, rate) << testing::PrintToString(of);
        }
}

// 4.8 TB/s of an H200, of what its 50 MB of L2 don't keep.
TEST(plan_gemm, expects_no_more_than_memory_can_bring) {
    for (const auto& [m, n, k] : {std::array<std::int64_t, 3>{1, 8192, 8192},
                                  {16, 16384, 16384},
                                  {128, 16384, 16384},
                                  {65536, 4096, 64},
                                  {16384, 16384, 16}}) {
        const double bytes =
            2.0 * static_cast<double>((m + n) * k) + 4.0 * static_cast<double>(m * n);
        EXPECT_GT(plan_of(row_major(m, n, k)).seconds, (bytes - 50e6) / 4.8e12);
    }
}

TEST(plan_gemm, promoted_bytes_take_tiles_beside_each_other_where_that_was_faster) {
    const auto promoted = [](std::int64_t size) {
        return *plan_of(of_type(dtype::e4m3, size, accumulation::promoted)).kernel;
    };
    for (const std::int64_t size : {3072, 5632, 6656, 8192, 16384}) {
        EXPECT_EQ(promoted(size).block_m, 192) << size;
        EXPECT_EQ(promoted(size).block_n, 128) << size;
    }
    for (const std::int64_t size : {512, 1024, 2048, 4096}) EXPECT_LE(promoted(size).block_m, 128);
    gemm_request off_lines = of_type(dtype::e4m3, 2448, accumulation::promoted);
    off_lines.n = 3744;
    off_lines.a_on_sectors = off_lines.b_on_sectors = false;
    off_lines.k = 1072;
    EXPECT_EQ(plan_of(off_lines).kernel->block_m, 192) << "of few k-blocks lines count less";
}

// Registers are enough for one of them on an SM: 130 us for 91 that two would take, 99 with these.
TEST(plan_gemm, tiles_that_are_alone_on_an_sm_are_known_to_be) {
    gemm_request of{.m = 7864, .n = 2144, .k = 808, .a_type = dtype::f32, .b_type = dtype::f32};
    of.b_major = operand_major::mn;
    EXPECT_GE(plan_of(of).kernel->block_n, 192);
}

TEST(plan_gemm, takes_tiles_apart_where_that_is_asked_for_and_there_are_some) {
    gemm_request asked = row_major(4096, 4096, 512);
    asked.asked = {.schedule = kernel_schedule::pingpong};
    EXPECT_TRUE(is_pingpong(plan_of(asked)));
    asked.asked = {.block_n = 256};
    EXPECT_FALSE(is_pingpong(plan_of(asked))) << "another tile was asked for";
    gemm_request promoted = of_type(dtype::e4m3, 4096, accumulation::promoted);
    promoted.asked = {.schedule = kernel_schedule::pingpong};
    EXPECT_FALSE(plan::plan_gemm(promoted, h200)) << "there is none";
    EXPECT_FALSE(is_pingpong(plan_of(row_major(1024, 1024, 512)))) << "a tile to a CTA";
}

// Random products on an H200 drawn by a benchmark since removed: what was chosen before
// took 1.2 to 1.35 times as long.
TEST(plan_gemm, of_lines_off_128_bytes_considers_all_tiles_and_clusters) {
    const auto off_lines = [](std::int64_t m, std::int64_t n, std::int64_t k, bool a_on,
                              bool b_on) {
        gemm_request of = row_major(m, n, k);
        of.result_bytes = 2;
        of.a_on_sectors = a_on;
        of.b_on_sectors = b_on;
        return of;
    };
    EXPECT_GE(plan_of(off_lines(904, 616, 552, false, false)).cluster_m, 2);
    EXPECT_EQ(plan_of(off_lines(8152, 144, 3640, false, true)).cluster_m, 2);
    gemm_request asked = off_lines(7904, 216, 272, true, false);
    asked.asked.block_n = 64;
    EXPECT_EQ(plan_of(asked).kernel->block_n, 64);
}

// TMA loads lines that begin between two sectors at half the rate.
TEST(plan_gemm, lines_off_their_sectors_make_blocks_share_more) {
    gemm_request r = row_major(3000, 3000, 3000);
    const double on = plan_of(r).seconds;
    r.a_on_sectors = false;
    r.b_on_sectors = false;
    EXPECT_EQ(plan_of(r).kernel->block_n, 192);
    EXPECT_GT(plan_of(r).seconds, 1.05 * on);
    r.m = r.n = r.k = 1000;
    EXPECT_GE(plan_of(r).cluster(), 4);
}

TEST(plan_gemm, is_made_for_a_gpu_that_is_cut_up) {
    for (const int multiprocessors : {1, 14, 16, 18, 26})
        for (const auto& [m, n, k] :
             {std::array<std::int64_t, 3>{16, 1024, 8192}, {300, 300, 300}, {4096, 4096, 4096}}) {
            gemm_request r = row_major(m, n, k);
            r.sms = multiprocessors;
            const gemm_plan plan = plan_of(r);
            EXPECT_GT(plan.seconds, 0) << multiprocessors;
            EXPECT_TRUE(std::isfinite(plan.seconds)) << multiprocessors;
        }
    EXPECT_EQ(ctas_at_a_time(8, 16), 8);
    EXPECT_EQ(ctas_at_a_time(2, 132), 132);
    EXPECT_EQ(ctas_at_a_time(4, 132), 120);
    EXPECT_EQ(ctas_at_a_time(8, 132), 120);
}

// 31.4 us for 34.0 with 64 rows, 33.7 for 37.0 with 128 on an H200.
TEST(plan_gemm, narrow_tiles_load_b_together_where_that_was_faster) {
    for (const std::int64_t m : {64, 128}) {
        const gemm_plan plan = plan_of(row_major(m, 14336, 4096));
        EXPECT_TRUE(plan.swap_ab) << m;
        EXPECT_EQ(plan.kernel->block_m, 128) << m;
        EXPECT_EQ(plan.kernel->block_n, m);
        EXPECT_EQ(plan.cluster_m * plan.cluster_n, 4) << m;
    }
}

// 29.3 us, for 41.9 with B multicast to 4 and A to none, on an H200.
TEST(plan_gemm, single_tiles_share_both_operands_where_that_was_faster) {
    const gemm_plan plan = plan_of(row_major(336, 3328, 6760));
    EXPECT_EQ(plan.kernel->block_m, 128);
    EXPECT_EQ(plan.kernel->block_n, 96);
    EXPECT_GE(plan.cluster_m, 2);
    EXPECT_GE(plan.cluster_n, 2);
}

// A multicast of A alone is one of B in the turned product.
TEST(plan_gemm, clusters_share_a_alone_where_no_turned_tile_shares_b) {
    int alone = 0;
    for (const gemm_request& r : requests()) {
        const gemm_plan plan = plan_of(r);
        if (plan.kernel->is_persistent() || plan.cluster_m > 1 || plan.cluster_n == 1) continue;
        EXPECT_TRUE(plan.kernel->block_n != 64 && plan.kernel->block_n != 128)
            << testing::PrintToString(plan);
        ++alone;
    }
    EXPECT_GT(alone, 0);
}

TEST(plan_gemm, clusters_are_as_asked_for) {
    for (const int sharing : {1, 2, 4}) {
        gemm_request r = row_major(1024, 1024, 1024);
        r.asked.block_m = 64;
        r.asked.block_n = 128;
        r.asked.cluster_m = sharing;
        EXPECT_EQ(plan_of(r).cluster_m, sharing);
        EXPECT_EQ(plan_of(r).kernel->block_m, 64);
    }
    gemm_request r = row_major(328, 136, 528);
    for (const auto& [splits, sharing] : {std::pair{2, 2}, {4, 2}, {2, 4}}) {
        r.asked = {.block_m = 64, .block_n = 128, .split_k = splits, .cluster_m = sharing};
        EXPECT_EQ(plan_of(r).split_k, splits);
        EXPECT_EQ(plan_of(r).cluster_m, sharing) << "beside K in " << splits;
    }
    for (const auto& [below, beside] : {std::pair{1, 2}, {1, 4}, {2, 2}, {2, 4}, {4, 2}}) {
        r = row_major(1024, 1024, 1024);
        r.asked = {.block_m = 128, .block_n = 64, .cluster_m = below, .cluster_n = beside};
        EXPECT_EQ(plan_of(r).cluster_m, below);
        EXPECT_EQ(plan_of(r).cluster_n, beside);
        EXPECT_EQ(plan_of(r).split_k, 1) << "that was not asked for";
    }
    r.asked = {.block_m = 128, .block_n = 64, .cluster_m = 4, .cluster_n = 4};
    EXPECT_EQ(plan_of(r).cluster(), 8) << "as many CTAs as any GPU puts into a cluster";
    r = row_major(1024, 1024, 1024);
    r.asked.block_n = 16;
    r.asked.cluster_m = 4;
    EXPECT_LE(plan_of(r).cluster_m, 2) << "a share of B is eight columns at least";
    r.asked.block_n = 256;
    r.asked.cluster_m = 1;
    EXPECT_EQ(plan_of(r).cluster_m, 2) << "wide tiles always share";
}

// 1500: 25.6 us for 27.3 with 192; 2500: 80 for 86 with 256, on an H200.
TEST(plan_gemm, widths_between_save_a_round) {
    EXPECT_EQ(plan_of(row_major(1500, 1500, 1500)).kernel->block_n, 160);
    gemm_request r = row_major(2500, 2500, 2500);
    EXPECT_EQ(plan_of(r).kernel->block_n, 224);
}

// 64 x 128 took 35.9 us and 128 x 64 39.7 on an H200; 14.0 and 14.9. The model hardly tells them
// apart.
TEST(plan_gemm, few_rows_of_much_k_take_small_tiles_and_parts_of_k) {
    for (const auto& [n, k] : {std::array<std::int64_t, 2>{4096, 14336}, {4096, 4096}}) {
        const gemm_plan plan = plan_of(row_major(128, n, k));
        EXPECT_LE(plan.kernel->block_m * plan.kernel->block_n, 64 * 160) << n << " x " << k;
        EXPECT_GT(plan.split_k, 1) << n << " x " << k;
    }
}

// Half a pipeline took 57 us for 35 with 128 rows, on an H200.
TEST(plan_gemm, many_rows_leave_no_room_for_the_next_kernel) {
    for (const auto& [n, k] :
         {std::array<std::int64_t, 2>{4096, 4096}, {8192, 8192}, {14336, 4096}, {4096, 14336}})
        EXPECT_EQ(plan_of(row_major(128, n, k)).ctas_per_sm, 1) << n << ' ' << k;
}

TEST(plan_gemm, as_many_ctas_are_on_an_sm_as_were_asked_for) {
    gemm_request asked = row_major(128, 4096, 4096);
    asked.asked.block_m = 64;
    asked.asked.block_n = 128;
    asked.asked.split_k = 2;
    asked.asked.ctas_per_sm = 2;
    EXPECT_EQ(plan_of(asked).ctas_per_sm, 2);
    asked.asked.ctas_per_sm = 3;
    EXPECT_EQ(plan_of(asked).ctas_per_sm, 2) << "a third has no registers";
}

TEST(plan_gemm, eighths_of_160_columns_are_not_all_alike) {
    gemm_request asked = row_major(64, 1600, 8192);
    asked.asked.block_m = 64;
    asked.asked.block_n = 160;
    asked.asked.split_k = 8;
    const gemm_plan plan = plan_of(asked);
    EXPECT_EQ(plan.kernel->block_n, 160);
    EXPECT_EQ(plan.split_k, 4);
}

TEST(plan_gemm, few_rows_become_columns_of_a_narrow_tile) {
    for (const std::int64_t m : {1, 8, 16}) {
        const gemm_plan plan = plan_of(row_major(m, 4096, 4096));
        EXPECT_TRUE(plan.swap_ab);
        EXPECT_EQ(plan.kernel->block_n, 16);
    }
}

// What of the sums depends on which operand is A must not depend on the number of rows.
TEST(plan_gemm, is_swapped_for_c_alone_where_that_is_asked_for) {
    for (gemm_request of : requests()) {
        if (of.a_major != of.b_major || of.accumulate == accumulation::blockwise) continue;
        of.asked.swaps_for_c_only = true;
        EXPECT_EQ(plan_of(of).swap_ab, !of.c_by_rows) << testing::PrintToString(of);
    }
}

TEST(plan_gemm, few_tiles_share_k_among_blocks) {
    EXPECT_GT(plan_of(row_major(256, 256, 4096)).split_k, 1);
    EXPECT_GT(plan_of(row_major(64, 1024, 8192)).split_k, 1);
    EXPECT_EQ(plan_of(row_major(4096, 4096, 64)).split_k, 1);
}

}  // namespace
