// Plans as numbers: paths, blocks and grids for known cases.
#include <gtest/gtest.h>

#include "plan/cpu_grid.hpp"
#include "plan/cpu_plan.hpp"
#include "plan/matrix_unit_plan.hpp"

namespace {

using namespace carat::plan;

constexpr kernel_shape f64_24x8{"gemm_f64_avx512_24x8", 24, 8, 8};
constexpr machine server{48 << 10, 1 << 20, 16 << 20};

request square(std::int64_t size, int threads) {
    return {.m = size, .n = size, .k = size, .most_threads = threads};
}

TEST(cpu_plan, small_and_empty_products_are_direct_with_one_thread) {
    for (const std::int64_t size : {0, 1, 8, 31, 72}) {
        const cpu_plan p = make_cpu_plan(square(size, 64), f64_24x8, server);
        EXPECT_EQ(p.how, path::unpacked) << size;
        EXPECT_EQ(p.threads(), 1) << size;
        EXPECT_FALSE(p.packs_a) << size;
    }
    request narrow = square(8, 64);
    narrow.same_types = false;
    EXPECT_EQ(make_cpu_plan(narrow, f64_24x8, server).how, path::blocked);
}

TEST(cpu_plan, operands_that_fit_into_l2_are_read_where_they_lie) {
    EXPECT_EQ(make_cpu_plan(square(221, 1), f64_24x8, server).how, path::unpacked);  // 763 KiB
    EXPECT_EQ(make_cpu_plan(square(222, 1), f64_24x8, server).how, path::blocked);
    EXPECT_EQ(make_cpu_plan({.m = 512, .n = 512, .k = 32}, f64_24x8, server).how, path::blocked);
    EXPECT_EQ(make_cpu_plan(square(200, 2), f64_24x8, server).threads(), 2);
    request out_of_place = square(200, 1);
    out_of_place.conflicting_a = true;
    EXPECT_TRUE(make_cpu_plan(out_of_place, f64_24x8, server).packs_a);
    request outer_stride = square(200, 1);
    outer_stride.m_contiguous_a = false;
    EXPECT_TRUE(make_cpu_plan(outer_stride, f64_24x8, server).packs_a);
}

// What packing costs is won back over other blocks; threads have no say, since kc follows.
TEST(cpu_plan, a_panel_of_b_that_meets_few_blocks_is_read_where_it_lies) {
    for (const int threads : {1, 4}) {
        const blocking a_only = make_cpu_plan(square(500, threads), f64_24x8, server).blocks;
        EXPECT_TRUE(a_only.reads_b);
        EXPECT_EQ(a_only.kc, 500);
        const blocking both = make_cpu_plan(square(513, threads), f64_24x8, server).blocks;
        EXPECT_FALSE(both.reads_b);
        EXPECT_EQ(both.kc, 257);
    }
    request asked = square(350, 1);
    asked.wanted.kc = 100;
    EXPECT_FALSE(make_cpu_plan(asked, f64_24x8, server).blocks.reads_b);
    request outer_stride = square(350, 1);
    outer_stride.k_contiguous_b = false;
    EXPECT_FALSE(make_cpu_plan(outer_stride, f64_24x8, server).blocks.reads_b);
}

TEST(cpu_plan, beside_such_a_panel_rows_of_a_are_packed_as_they_are_read) {
    EXPECT_TRUE(make_cpu_plan(square(500, 1), f64_24x8, server).blocks.fuses_packing_of_a);
    request outer_stride = square(500, 1);
    outer_stride.m_contiguous_a = false;
    EXPECT_FALSE(make_cpu_plan(outer_stride, f64_24x8, server).blocks.fuses_packing_of_a);
    request narrow = square(500, 1);
    narrow.same_types = false;
    EXPECT_FALSE(make_cpu_plan(narrow, f64_24x8, server).blocks.fuses_packing_of_a);
    EXPECT_FALSE(make_cpu_plan(square(1000, 1), f64_24x8, server).blocks.fuses_packing_of_a);
}

TEST(cpu_plan, half_of_l2_of_whole_lines_of_a_is_read_where_it_lies) {
    const auto lined = [](std::int64_t size, int threads) {
        request r = square(size, threads);
        r.whole_lines_of_a = true;
        return r;
    };
    for (const int threads : {1, 4}) {
        const cpu_plan half = make_cpu_plan(lined(256, threads), f64_24x8, server);  // 512 KiB
        EXPECT_EQ(half.how, path::unpacked);
        EXPECT_FALSE(half.packs_a);
        EXPECT_EQ(half.blocks.nc, 96);
        EXPECT_EQ(half.blocks.kc, 256);
    }
    request deep = lined(128, 1);
    deep.n = 512;
    deep.k = 512;
    EXPECT_EQ(make_cpu_plan(deep, f64_24x8, server).blocks.kc, 256);
    EXPECT_EQ(make_cpu_plan(lined(264, 1), f64_24x8, server).how, path::blocked);
    EXPECT_EQ(make_cpu_plan(square(256, 1), f64_24x8, server).how, path::blocked);
    request many = lined(256, 1);
    many.n = 1001;
    EXPECT_EQ(make_cpu_plan(many, f64_24x8, server).how, path::blocked);
    request out_of_place = lined(256, 1);
    out_of_place.conflicting_a = true;
    EXPECT_EQ(make_cpu_plan(out_of_place, f64_24x8, server).how, path::blocked);
}

TEST(cpu_plan, few_rows_stay_in_l2_while_b_streams_past) {
    request few{.m = 32, .n = 4096, .k = 4096, .most_threads = 2};
    const cpu_plan p = make_cpu_plan(few, f64_24x8, server);
    EXPECT_EQ(p.how, path::unpacked);
    EXPECT_EQ(p.blocks.kc, 2048);  // 512 KiB, half of L2
    EXPECT_EQ(p.threads_n, 2);
    few.m = 33;
    EXPECT_EQ(make_cpu_plan(few, f64_24x8, server).how, path::blocked);
    few.m = 32;
    few.k_contiguous_b = false;
    EXPECT_EQ(make_cpu_plan(few, f64_24x8, server).how, path::blocked);
}

// Halves of 256 rows are whole vectors, though 256 rows are five micropanels and a third. Equal
// sides are divided by rows.
TEST(cpu_plan, rows_are_divided_between_vectors) {
    constexpr kernel_shape f32_48x8{"f32", 48, 8, 4};
    const cpu_plan p = make_cpu_plan(square(256, 2), f32_48x8, server);
    EXPECT_EQ(p.how, path::unpacked);
    EXPECT_EQ(p.unit_m, 16);
    EXPECT_EQ(p.threads_m, 2);
    request ready = square(256, 2);
    ready.prepared = packed_before{.skinny = false, .kc = 256};
    EXPECT_EQ(make_cpu_plan(ready, f32_48x8, server).unit_m, 48) << "its micropanels stay whole";
    EXPECT_EQ(make_cpu_plan(square(1000, 2), f64_24x8, server).threads_m, 2);
    EXPECT_EQ(choose_grid(square(256, 2), 48, 8, {1, 8, 8, true}).m, 2);
}

// Not if a tile's vectors are nearly full or sums are short, nor, if memory decides, for columns
// that L1 cannot keep.
TEST(cpu_plan, few_columns_are_dot_products_where_depths_lie_side_by_side) {
    EXPECT_TRUE(takes_dot_products(5000, 5, 500, true, 4, 64, server));
    EXPECT_TRUE(takes_dot_products(5000, 8, 500, true, 4, 64, server));
    EXPECT_FALSE(takes_dot_products(5000, 9, 500, true, 4, 64, server));
    EXPECT_FALSE(takes_dot_products(5000, 7, 500, true, 4, 32, server));
    EXPECT_FALSE(takes_dot_products(5000, 1, 500, true, 4, 64, server));
    EXPECT_FALSE(takes_dot_products(5000, 5, 127, true, 4, 64, server));
    EXPECT_TRUE(takes_dot_products(5000, 5, 500, true, 8, 64, server));
    EXPECT_FALSE(takes_dot_products(5000, 6, 500, true, 8, 64, server));
    EXPECT_FALSE(takes_dot_products(5000, 5, 2000, true, 8, 64, server));
    constexpr kernel_shape f32_48x8{"f32", 48, 8, 4};
    request r{.m = 5000, .n = 5, .k = 500, .m_contiguous_a = false, .k_contiguous_a = true};
    EXPECT_EQ(make_cpu_plan(r, f32_48x8, server).how, path::skinny);
    r.k = 100;
    EXPECT_EQ(make_cpu_plan(r, f32_48x8, server).how, path::blocked);
}

// The more columns in L2, the larger the k; more columns if vectors have many lanes, fewer if they
// must be copied first.
TEST(cpu_plan, few_columns_in_l2_are_dot_products_of_some_depths) {
    EXPECT_TRUE(takes_dot_products(3, 3, 36, true, 8, 64, server));
    EXPECT_FALSE(takes_dot_products(3, 3, 35, true, 8, 64, server));
    EXPECT_TRUE(takes_dot_products(200, 12, 144, true, 4, 64, server));
    EXPECT_FALSE(takes_dot_products(201, 12, 144, true, 4, 64, server));
    EXPECT_FALSE(takes_dot_products(200, 13, 200, true, 4, 64, server));
    EXPECT_TRUE(takes_dot_products(201, 6, 72, true, 4, 64, server));
    EXPECT_TRUE(takes_dot_products(20, 7, 84, true, 4, 32, server));
    EXPECT_FALSE(takes_dot_products(20, 7, 84, true, 8, 32, server));
    EXPECT_TRUE(takes_dot_products(12, 4, 72, false, 8, 64, server));
    EXPECT_FALSE(takes_dot_products(12, 4, 71, false, 8, 64, server));
    EXPECT_FALSE(takes_dot_products(11, 4, 200, false, 8, 64, server));
    EXPECT_FALSE(takes_dot_products(30, 5, 200, false, 8, 64, server));
}

// One column is a tall tile while A is near; of lines along k, once they are long.
TEST(cpu_plan, one_column_is_read_in_the_order_of_memory_once_a_is_far) {
    request r{.m = 300, .n = 1, .k = 20};
    EXPECT_EQ(make_cpu_plan(r, f64_24x8, server).how, path::unpacked);
    r.m = 1 << 20;
    EXPECT_EQ(make_cpu_plan(r, f64_24x8, server).how, path::skinny);
    request lines{.m = 15, .n = 1, .k = 40, .m_contiguous_a = false, .k_contiguous_a = true};
    EXPECT_EQ(make_cpu_plan(lines, f64_24x8, server).how, path::skinny);
    lines.k = 39;
    EXPECT_EQ(make_cpu_plan(lines, f64_24x8, server).how, path::unpacked);
    lines.m = 16;
    EXPECT_EQ(make_cpu_plan(lines, f64_24x8, server).how, path::skinny);
}

// AVX2, and where some of a tile's vectors would stay idle.
TEST(cpu_plan, more_columns_are_dot_products_where_they_fill_no_vectors) {
    constexpr kernel_shape f64_8x6{"f64", 8, 6, 8, 32};
    request r{.m = 30000, .n = 17, .k = 900, .m_contiguous_a = false, .k_contiguous_a = true};
    EXPECT_EQ(make_cpu_plan(r, f64_8x6, server).how, path::skinny);
    EXPECT_NE(make_cpu_plan(r, f64_24x8, server).how, path::skinny);
    EXPECT_FALSE(takes_dot_products(30000, 16, 900, true, 8, 32, server));
    EXPECT_FALSE(takes_dot_products(30000, 33, 900, true, 8, 32, server));
    EXPECT_FALSE(takes_dot_products(30000, 8, 900, true, 8, 32, server));
    EXPECT_FALSE(takes_dot_products(84, 17, 90000, true, 8, 32, server));
    EXPECT_FALSE(takes_dot_products(30000, 17, 255, true, 8, 32, server));
    EXPECT_FALSE(takes_dot_products(100, 17, 256, true, 8, 32, server));
    EXPECT_TRUE(takes_dot_products(30000, 17, 512, true, 4, 32, server));
}

TEST(cpu_plan, few_columns_are_fewer_with_narrow_vectors) {
    constexpr kernel_shape narrow{"gemm_f64_avx2_8x6", 8, 6, 8, 32};
    const auto how = [&](std::int64_t n, bool conflicting) {
        return make_cpu_plan({.m = 4096, .n = n, .k = 4096, .conflicting_a = conflicting}, narrow,
                             server)
            .how;
    };
    EXPECT_EQ(how(8, true), path::skinny);
    EXPECT_EQ(how(9, true), path::blocked);
    EXPECT_EQ(how(16, false), path::skinny);
    EXPECT_EQ(how(17, false), path::blocked);
}

TEST(cpu_plan, few_columns_read_a_in_the_order_of_memory) {
    const auto how = [](const request& r) { return make_cpu_plan(r, f64_24x8, server).how; };
    EXPECT_EQ(how({.m = 1000, .n = 7, .k = 3000}), path::skinny);
    EXPECT_EQ(how({.m = 1000, .n = 32, .k = 3000}), path::skinny);
    EXPECT_EQ(how({.m = 1000, .n = 33, .k = 3000}), path::blocked);
    EXPECT_EQ(how({.m = 32, .n = 9, .k = 9000}), path::unpacked);  // few rows
    EXPECT_EQ(how({.m = 100, .n = 7, .k = 100}), path::unpacked);  // in L2
    EXPECT_EQ(how({.m = 100, .n = 7, .k = 100, .conflicting_a = true}), path::skinny);
    EXPECT_EQ(how({.m = 256, .n = 2, .k = 900}), path::skinny);  // near L2's size
    EXPECT_EQ(how({.m = 1000, .n = 7, .k = 3000, .m_contiguous_a = false}), path::blocked);
    EXPECT_EQ(how({.m = 1000, .n = 1, .k = 3000, .m_contiguous_a = false, .k_contiguous_a = true}),
              path::skinny);
    EXPECT_EQ(how({.m = 8, .n = 1, .k = 8}), path::unpacked);
    const request large{.m = 4096, .n = 1, .k = 4096, .most_threads = 4};
    EXPECT_EQ(make_cpu_plan(large, f64_24x8, server).threads_m, 4);
    const request wider{.m = 1000, .n = 32, .k = 3000, .most_threads = 4};
    EXPECT_EQ(make_cpu_plan(wider, f64_24x8, server).threads_m, 4);
}

TEST(cpu_plan, a_second_thread_waits_for_as_much_work_in_any_type) {
    constexpr kernel_shape f32_48x8{"gemm_f32_avx512_48x8", 48, 8, 4};
    EXPECT_EQ(make_cpu_plan(square(74, 2), f64_24x8, server).threads(), 2);
    EXPECT_EQ(make_cpu_plan(square(92, 2), f32_48x8, server).threads(), 1);
    EXPECT_EQ(make_cpu_plan(square(96, 2), f32_48x8, server).threads(), 2);
}

TEST(cpu_plan, c_is_fetched_ahead_of_direct_tiles_unless_it_is_near) {
    EXPECT_TRUE(make_cpu_plan({.m = 16, .n = 65536, .k = 16}, f64_24x8, server).fetches_c);
    EXPECT_FALSE(make_cpu_plan({.m = 64, .n = 64, .k = 64}, f64_24x8, server).fetches_c);
}

TEST(cpu_plan, the_number_of_threads_changes_neither_path_nor_depth) {
    for (const std::int64_t m : {1, 8, 32, 33, 250, 1000, 4096})
        for (const std::int64_t n : {1, 2, 7, 32, 250, 4096})
            for (const std::int64_t k : {1, 32, 250, 3000})
                for (const int threads : {2, 3, 64}) {
                    const request alone{.m = m, .n = n, .k = k, .most_threads = 1};
                    request many = alone;
                    many.most_threads = threads;
                    const cpu_plan one = make_cpu_plan(alone, f64_24x8, server);
                    const cpu_plan all = make_cpu_plan(many, f64_24x8, server);
                    EXPECT_EQ(one.how, all.how) << m << " " << n << " " << k;
                    EXPECT_EQ(one.packs_a, all.packs_a) << m << " " << n << " " << k;
                    EXPECT_EQ(one.blocks.kc, all.blocks.kc) << m << " " << n << " " << k;
                }
}

// The drop-in BLAS does not even ask how many threads there are then.
TEST(cpu_plan, no_product_of_less_than_2_to_the_18_has_two_threads) {
    constexpr kernel_shape f32_48x8{"gemm_f32_avx512_48x8", 48, 8, 4};
    constexpr std::int64_t least = 1 << 18;
    bool shared_above = false;
    for (const kernel_shape& kernel : {f64_24x8, f32_48x8})
        for (const std::int64_t n : {1, 2, 3, 8, 32, 63, 500, 4096})
            for (const std::int64_t k : {1, 2, 7, 60, 511, 4096}) {
                const std::int64_t most_m = (least - 1) / (n * k);
                if (most_m == 0) continue;
                const auto threads = [&](std::int64_t m) {
                    const request r{.m = m, .n = n, .k = k, .most_threads = 64};
                    return make_cpu_plan(r, kernel, server).threads();
                };
                EXPECT_EQ(threads(most_m), 1) << most_m << " " << n << " " << k;
                shared_above = shared_above || threads(4 * most_m) > 1;
            }
    EXPECT_TRUE(shared_above);
}

TEST(cpu_plan, blocks_fit_the_caches_and_the_tile) {
    for (const std::int64_t size : {300, 1000, 4096, 100000}) {
        const cpu_plan p = make_cpu_plan(square(size, 1), f64_24x8, server);
        ASSERT_EQ(p.how, path::blocked);
        EXPECT_EQ(p.blocks.mc % 24, 0);
        EXPECT_EQ(p.blocks.nc % 8, 0);
        EXPECT_LE(p.blocks.kc * 8 * 8, server.l1_bytes);
        EXPECT_LE(p.blocks.mc * p.blocks.kc * 8,
                  p.blocks.reads_b ? server.l2_bytes : server.l2_bytes / 8 * 3);
        EXPECT_LE(p.blocks.nc * p.blocks.kc * 8, server.l3_bytes);
    }
}

TEST(cpu_plan, depth_is_cut_evenly_and_the_same_for_any_number_of_threads) {
    for (const int threads : {1, 2, 3, 64}) {
        const cpu_plan p = make_cpu_plan(square(1000, threads), f64_24x8, server);
        const std::int64_t cuts = (1000 + p.blocks.kc - 1) / p.blocks.kc;
        EXPECT_LT(cuts * p.blocks.kc - 1000, cuts);
        EXPECT_EQ(p.blocks.kc, make_cpu_plan(square(1000, 1), f64_24x8, server).blocks.kc);
    }
}

TEST(cpu_plan, threads_follow_the_work_and_the_shape) {
    EXPECT_EQ(make_cpu_plan(square(64, 64), f64_24x8, server).threads(), 1);
    EXPECT_EQ(make_cpu_plan(square(4096, 2), f64_24x8, server).threads(), 2);
    EXPECT_GE(make_cpu_plan(square(4096, 64), f64_24x8, server).threads(), 60);
    const request tall{.m = 100000, .n = 9, .k = 1000, .most_threads = 8};
    const cpu_plan p = make_cpu_plan(tall, f64_24x8, server);
    EXPECT_EQ(p.threads_m, 8);
    EXPECT_EQ(p.threads_n, 1);
}

TEST(cpu_plan, wanted_blocks_are_taken) {
    request r = square(1000, 1);
    r.wanted = {48, 16, 100};
    const blocking b = make_cpu_plan(r, f64_24x8, server).blocks;
    EXPECT_EQ(b.mc, 48);
    EXPECT_EQ(b.nc, 16);
    EXPECT_EQ(b.kc, 100);
}

TEST(cpu_plan, explains_itself) {
    const request r = square(2000, 2);
    const std::string text = explain(make_cpu_plan(r, f64_24x8, server), r, f64_24x8, server);
    for (const char* part : {"gemm_f64_avx512_24x8", "24 x 8", "of L2", "2 of 2 threads"})
        EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
    const request small = square(8, 2);
    EXPECT_NE(
        explain(make_cpu_plan(small, f64_24x8, server), small, f64_24x8, server).find("unpacked"),
        std::string::npos);
    const request vector{.m = 4096, .n = 1, .k = 4096};
    EXPECT_NE(
        explain(make_cpu_plan(vector, f64_24x8, server), vector, f64_24x8, server).find("skinny"),
        std::string::npos);
}

constexpr matrix_unit_shape bf16_tiles{"gemm_bf16_amx_32x32", 32, 32, 2};

TEST(matrix_unit_plan, depth_is_cut_at_the_same_places_for_any_number_of_threads) {
    for (const std::int64_t k : {1, 32, 1000, 1024, 1025, 4096, 100000})
        for (const std::int64_t m : {32, 1000})
            for (const int threads : {1, 2, 16, 64}) {
                const request wanted{.m = m, .n = 1000, .k = k, .most_threads = threads};
                request alone = wanted;
                alone.most_threads = 1;
                EXPECT_EQ(make_matrix_unit_plan(wanted, bf16_tiles, server).blocks.kc,
                          make_matrix_unit_plan(alone, bf16_tiles, server).blocks.kc);
            }
}

TEST(matrix_unit_plan, blocks_fit_their_caches) {
    const matrix_unit_plan plan = make_matrix_unit_plan(square(4096, 1), bf16_tiles, server);
    const blocking& b = plan.blocks;
    EXPECT_EQ(b.kc % 32, 0);
    EXPECT_LE(b.kc * b.nc * 2, server.l2_bytes / 2);
    EXPECT_LE(b.mc * b.nc * 4, server.l2_bytes / 4);
    EXPECT_TRUE(plan.keeps_a);
    EXPECT_TRUE(plan.keeps_b);
    const matrix_unit_plan huge = make_matrix_unit_plan(square(40000, 1), bf16_tiles, server);
    EXPECT_FALSE(huge.keeps_a);  // 3 GB
}

TEST(matrix_unit_plan, threads_pack_together_what_l2_cannot_keep_for_each) {
    const machine on{48 << 10, 2 << 20, 9 << 20};
    const matrix_unit_plan near = make_matrix_unit_plan(square(1024, 16), bf16_tiles, on);
    EXPECT_FALSE(near.shares_a || near.shares_b);
    const matrix_unit_plan far = make_matrix_unit_plan(square(2048, 16), bf16_tiles, on);
    EXPECT_TRUE(far.shares_a && far.shares_b);
    EXPECT_LE(far.blocks.kc * far.blocks.nc * 2, on.l2_bytes / 8);
    const matrix_unit_plan one = make_matrix_unit_plan(square(2048, 1), bf16_tiles, on);
    EXPECT_FALSE(one.shares_a || one.shares_b);
    EXPECT_GT(one.blocks.nc, far.blocks.nc);
    const matrix_unit_plan two_slabs = make_matrix_unit_plan(square(4096, 16), bf16_tiles, on);
    EXPECT_TRUE(two_slabs.shares_a && two_slabs.shares_b);
    EXPECT_GT(two_slabs.blocks.nc, far.blocks.nc) << "A is fetched again for each panel";
}

TEST(matrix_unit_plan, free_threads_take_pieces_of_late_ones) {
    const matrix_unit_plan large = make_matrix_unit_plan(square(4096, 16), bf16_tiles, server);
    EXPECT_EQ(large.pieces, 4);
    EXPECT_FALSE(large.pieces_along_n) << "threads pack B together";
    const request few_rows{.m = 64, .n = 8192, .k = 1024, .most_threads = 16};
    const matrix_unit_plan wide = make_matrix_unit_plan(few_rows, bf16_tiles, server);
    EXPECT_TRUE(wide.pieces > 1 && wide.pieces_along_n);
    const request little{.m = 7, .n = 1000, .k = 3000, .most_threads = 16};
    EXPECT_EQ(make_matrix_unit_plan(little, bf16_tiles, server).pieces, 1);
    EXPECT_EQ(make_matrix_unit_plan(square(4096, 1), bf16_tiles, server).pieces, 1);
}

TEST(matrix_unit_plan, one_slab_needs_no_sums_in_memory) {
    const matrix_unit_plan plan = make_matrix_unit_plan(square(1000, 1), bf16_tiles, server);
    EXPECT_EQ(plan.blocks.kc, 1024);  // in whole steps
    EXPECT_EQ(plan.blocks.mc, 1024);
    EXPECT_NE(explain(plan, square(1000, 1), bf16_tiles, server).find("packed once"),
              std::string::npos);
}

TEST(matrix_unit_plan, small_products_have_one_thread) {
    EXPECT_EQ(make_matrix_unit_plan(square(128, 8), bf16_tiles, server).threads(), 1);
    EXPECT_EQ(make_matrix_unit_plan(square(512, 8), bf16_tiles, server).threads(), 8);
    // Packing B is work for as many threads.
    const request few_rows{.m = 7, .n = 1000, .k = 3000, .most_threads = 16};
    EXPECT_EQ(make_matrix_unit_plan(few_rows, bf16_tiles, server).threads(), 16);
}

}  // namespace
