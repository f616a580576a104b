// Products divided among threads: where panels of B are shared, where K is divided, and what units
// of rows there are.
#include "plan/cpu_grid.hpp"

#include <gtest/gtest.h>

namespace {

using namespace carat::plan;

constexpr kernel_shape f64_24x8{"gemm_f64_avx512_24x8", 24, 8, 8};
constexpr kernel_shape f32_48x8{"gemm_f32_avx512_48x8", 48, 8, 4};
constexpr machine server{48 << 10, 1 << 20, 4 << 20};
constexpr machine sapphire_rapids{48 << 10, 2 << 20, 300 * (1 << 20) / 32};

request square(std::int64_t size, int threads) {
    return {.m = size, .n = size, .k = size, .most_threads = threads};
}

// Two panels of each group are half of L3 or 1 MiB a thread. Strips keep 96 rows.
TEST(cpu_grid, threads_with_the_same_columns_share_panels_of_b) {
    for (const int threads : {2, 16, 64}) {
        const cpu_plan p = make_cpu_plan(square(4096, threads), f64_24x8, server);
        EXPECT_TRUE(p.shares_b) << threads;
        EXPECT_EQ(p.threads(), threads);
        EXPECT_GT(p.threads_m, 1);
        EXPECT_LE(2 * p.threads_n * p.blocks.nc * p.blocks.kc * 8, std::int64_t{threads} << 20);
        EXPECT_LE(p.pieces, 4096 / p.threads_m / 96);
    }
    EXPECT_FALSE(make_cpu_plan(square(4096, 1), f64_24x8, server).shares_b);
    request out_of_place = square(4096, 16);
    out_of_place.sums_in_c = false;
    EXPECT_FALSE(make_cpu_plan(out_of_place, f64_24x8, server).shares_b);
    EXPECT_FALSE(make_cpu_plan(square(400, 16), f64_24x8, server).shares_b) << "B is not packed";
}

// One thread reads B where it lies, and so do threads that keep their columns of it in L2.
// Otherwise they pack it together, and cut K where one thread does.
TEST(cpu_grid, threads_pack_what_one_reads_where_it_lies) {
    const cpu_plan alone = make_cpu_plan(square(2048, 1), f32_48x8, sapphire_rapids);
    EXPECT_TRUE(alone.blocks.reads_b);
    const cpu_plan together = make_cpu_plan(square(2048, 16), f32_48x8, sapphire_rapids);
    EXPECT_TRUE(together.shares_b);
    EXPECT_EQ(together.blocks.kc, alone.blocks.kc);
    EXPECT_TRUE(make_cpu_plan(square(1000, 16), f32_48x8, sapphire_rapids).shares_b);
    EXPECT_FALSE(make_cpu_plan(square(700, 16), f32_48x8, sapphire_rapids).shares_b) << "few rows";
    const request thin{.m = 2048, .n = 2048, .k = 100, .most_threads = 16};
    EXPECT_FALSE(make_cpu_plan(thin, f32_48x8, sapphire_rapids).shares_b) << "L2 keeps B";
}

// 16 x 1 rectangles of 3000 rows would leave each thread a single piece.
TEST(cpu_grid, gives_threads_that_share_panels_two_pieces_of_rows) {
    for (const std::int64_t size : {1600, 2000, 2500, 3000, 4000})
        for (const kernel_shape& kernel : {f64_24x8, f32_48x8}) {
            const cpu_plan p = make_cpu_plan(square(size, 16), kernel, sapphire_rapids);
            EXPECT_TRUE(!p.shares_b || p.pieces >= 2) << size << " " << kernel.name;
        }
}

// Free threads take pieces of late ones: of columns where there are few rows, since pieces of rows
// would each fetch B anew, which L2 can't keep.
TEST(cpu_grid, gives_threads_several_pieces) {
    const request thin{.m = 1343, .n = 1436, .k = 19, .most_threads = 16};
    EXPECT_EQ(make_cpu_plan(thin, f32_48x8, sapphire_rapids).pieces, 3);
    EXPECT_FALSE(make_cpu_plan(thin, f32_48x8, sapphire_rapids).pieces_along_n);
    const request few_rows{.m = 104, .n = 7358, .k = 4429, .most_threads = 16};
    EXPECT_EQ(make_cpu_plan(few_rows, f32_48x8, sapphire_rapids).pieces, 2) << "A is packed twice";
    EXPECT_TRUE(make_cpu_plan(few_rows, f32_48x8, sapphire_rapids).pieces_along_n);
    const request unpacked{.m = 31, .n = 11421, .k = 1787, .most_threads = 16};
    EXPECT_EQ(make_cpu_plan(unpacked, f64_24x8, sapphire_rapids).pieces, 4);
    EXPECT_TRUE(make_cpu_plan(unpacked, f64_24x8, sapphire_rapids).pieces_along_n);
    EXPECT_EQ(make_cpu_plan(square(96, 16), f64_24x8, sapphire_rapids).pieces, 1) << "little work";
}

// A part of a micropanel takes as long as a whole one: 54 x 29 x 9556 made 135 GFLOP/s with its few
// rows between vectors and 270 with K divided.
TEST(cpu_grid, divides_k_rather_than_few_rows_of_tiles) {
    const request deep{.m = 29, .n = 54, .k = 9556, .most_threads = 16};
    for (const kernel_shape& kernel : {f64_24x8, f32_48x8}) {
        const cpu_plan p = make_cpu_plan(deep, kernel, sapphire_rapids);
        EXPECT_EQ(p.threads_m, 1) << kernel.name;
        EXPECT_GT(p.threads_k, 1) << kernel.name;
    }
}

// 31 rows in 4 micropanels of columns: 64 blocks of depths, where 4 threads took 2 each.
TEST(cpu_grid, cuts_k_of_few_rows_and_few_columns) {
    request deep{.m = 22, .n = 31, .k = 15690, .most_threads = 16};
    const cpu_plan p = make_cpu_plan(deep, f64_24x8, sapphire_rapids);
    EXPECT_EQ(p.how, path::unpacked);
    EXPECT_EQ(p.blocks.kc, 981);
    EXPECT_GE(p.threads(), 15);
    deep.adds_sums = false;
    EXPECT_GT(make_cpu_plan(deep, f64_24x8, sapphire_rapids).blocks.kc, 4000);
    const request more{.m = 24, .n = 148, .k = 7030, .most_threads = 16};
    EXPECT_EQ(make_cpu_plan(more, f64_24x8, sapphire_rapids).blocks.kc, 1758) << "19 by 4 parts";
}

TEST(cpu_grid, cuts_k_where_one_thread_does) {
    for (const std::int64_t size : {300, 1000, 4096}) {
        const std::int64_t kc = make_cpu_plan(square(size, 1), f64_24x8, server).blocks.kc;
        for (const int threads : {2, 7, 16, 64})
            EXPECT_EQ(make_cpu_plan(square(size, threads), f64_24x8, server).blocks.kc, kc);
    }
}

// 100 x 100 are 5 x 13 tiles, of which 16 threads would take 2 x 4 at most.
TEST(cpu_grid, divides_k_where_c_leaves_threads_idle) {
    request deep{.m = 100, .n = 100, .k = 20000, .most_threads = 16};
    EXPECT_GT(make_cpu_plan(deep, f64_24x8, server).threads_k, 4);
    EXPECT_GT(make_cpu_plan(deep, f32_48x8, server).threads_k, 4);
    deep.adds_sums = false;
    EXPECT_EQ(make_cpu_plan(deep, f64_24x8, server).threads_k, 1);
    deep.adds_sums = true;
    deep.same_types = false;
    EXPECT_EQ(make_cpu_plan(deep, f64_24x8, server).threads_k, 1);
    deep.same_types = true;
    deep.k = 500;
    EXPECT_EQ(make_cpu_plan(deep, f64_24x8, server).threads_k, 1) << "one block of depths";
    EXPECT_EQ(make_cpu_plan(square(2000, 16), f64_24x8, server).threads_k, 1);
    const request large{.m = 200, .n = 200, .k = 100'000, .most_threads = 64};
    EXPECT_EQ(make_cpu_plan(large, f64_24x8, server).threads_k, 1) << "too many sums";
}

// 71 rows are 9 lines of cache, which would keep 9 threads busy. K is cut for one thread as for 16.
TEST(cpu_grid, divides_k_of_few_columns_with_few_rows) {
    const request few{.m = 71, .n = 8, .k = 9722, .most_threads = 16};
    const cpu_plan p = make_cpu_plan(few, f64_24x8, server);
    EXPECT_EQ(p.how, path::skinny);
    EXPECT_GT(p.threads_k, 1);
    EXPECT_EQ(p.threads(), 16);
    for (const int threads : {1, 3, 64}) {
        request other = few;
        other.most_threads = threads;
        EXPECT_EQ(make_cpu_plan(other, f64_24x8, server).blocks.kc, p.blocks.kc);
    }
    request with_epilogue = few;
    with_epilogue.adds_sums = false;
    EXPECT_EQ(make_cpu_plan(with_epilogue, f64_24x8, server).threads_k, 1);
    const request more{.m = 71, .n = 21, .k = 9722, .most_threads = 16};
    EXPECT_EQ(make_cpu_plan(more, f64_24x8, server).how, path::blocked);
    EXPECT_GT(make_cpu_plan(more, f64_24x8, server).threads_k, 8);
}

TEST(cpu_grid, divides_few_columns_between_lines_of_cache) {
    const request few{.m = 1000, .n = 7, .k = 3000, .most_threads = 16};
    const cpu_plan p = make_cpu_plan(few, f32_48x8, server);
    EXPECT_EQ(p.how, path::skinny);
    EXPECT_EQ(p.unit_m, 16);
    EXPECT_EQ(p.threads_m, 16);
    EXPECT_EQ(make_cpu_plan(few, f64_24x8, server).unit_m, 8);
}

}  // namespace
