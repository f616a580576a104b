// Which of the kernels for f32 and f64 takes which product: limits that no plan may break, and what
// every choice must weigh.
#include "plan/fma_plan.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <ostream>

#include "cuda/families/fma/kernel_table.hpp"
#include "plan/costs.hpp"

namespace carat::plan {

void PrintTo(const fma_plan& plan, std::ostream* out) {
    *out << plan.block_m << " x " << plan.block_n << ", K in " << plan.cut.cluster << " x "
         << plan.cut.groups;
}

}  // namespace carat::plan

namespace {

using namespace carat::plan;
using carat::dtype;
using carat::cuda::fma::tiles_of;

fma_request square(std::int64_t n, dtype type) {
    return {.m = n, .n = n, .k = n, .type = type};
}

fma_plan plan_of(const fma_request& of) {
    return make_fma_plan(of, tiles_of(of.type), costs_of_h200).value();
}

TEST(fma_plan, is_of_a_tile_that_exists) {
    for (const dtype type : {dtype::f32, dtype::f64})
        for (const std::int64_t m : {1, 100, 1024, 5000})
            for (const std::int64_t n : {1, 64, 8192})
                for (const std::int64_t k : {1, 16, 17, 1000, 8192})
                    for (const int split_k : {0, 1, 3, 8}) {
                        fma_request of{.m = m, .n = n, .k = k, .type = type};
                        of.split_k = split_k;
                        const fma_plan plan = plan_of(of);
                        SCOPED_TRACE(testing::PrintToString(plan));
                        const auto tiles = tiles_of(type);
                        ASSERT_LT(plan.tile, tiles.size());
                        const fma_tile& tile = tiles[plan.tile];
                        EXPECT_EQ(plan.block_m, tile.m);
                        EXPECT_EQ(plan.block_n, tile.n);
                        EXPECT_LE(plan.cut.cluster, tile.most_cluster);
                        EXPECT_LE(plan.cut.parts(), (k + tile.k - 1) / tile.k);
                        EXPECT_LE(plan.cut.parts(), split_k == 0 ? 128 : split_k);
                        EXPECT_GT(plan.seconds, 0);
                    }
}

TEST(fma_plan, takes_the_tile_that_is_asked_for_or_says_which_there_are) {
    fma_request of{.m = 64, .n = 64, .k = 64};
    of.block_m = 256;
    EXPECT_EQ(plan_of(of).block_m, 256);
    EXPECT_EQ(reason_against(of, tiles_of(of.type)), "");
    of.type = dtype::f64;
    EXPECT_FALSE(make_fma_plan(of, tiles_of(of.type), costs_of_h200));
    EXPECT_EQ(reason_against(of, tiles_of(of.type)),
              "no kernel has block_m=256 for f64: there are 64 x 32, 32 x 64, 64 x 64, 128 x 64, "
              "96 x 128, 128 x 128, 32 x 32, 64 x 32, 32 x 64, 64 x 64, 128 x 64, 64 x 128");
}

// 3000^3 in tiles of 128 x 128 is 576 of them: five waves on 132 SMs, the last a third full; in
// tiles of 96 x 128, 768: six waves that are nearly full.
TEST(fma_plan, a_round_that_is_full_beats_a_larger_tile) {
    const fma_plan f64 = plan_of(square(3000, dtype::f64));
    EXPECT_EQ(f64.block_m, 96);
    EXPECT_EQ(f64.block_n, 128);
    EXPECT_EQ(plan_of(square(4096, dtype::f64)).block_m, 128);
}

TEST(fma_plan, shares_k_where_tiles_are_too_few_and_not_where_they_are_many) {
    for (const dtype type : {dtype::f32, dtype::f64}) {
        EXPECT_GE(plan_of({.m = 256, .n = 256, .k = 8192, .type = type}).cut.parts(), 8);
        EXPECT_EQ(plan_of(square(8192, type)).cut.parts(), 1);
    }
}

TEST(fma_plan, turns_where_it_is_asked_to) {
    fma_request of{.m = 2048, .n = 2048, .k = 2048};
    const auto arrives = [&] { return tiles_of(of.type)[plan_of(of).tile].arrives; };
    for (const arrival asked : {arrival::ready, arrival::turned}) {
        of.arrives = asked;
        EXPECT_EQ(arrives(), asked);
    }
    of.arrives = arrival::straight;
    EXPECT_EQ(reason_against(of, tiles_of(of.type)).substr(0, 26), "turned=3 reads A's lines a");
    of.a = {.lies = lying::between_16_bytes, .runs_along_k = true};
    EXPECT_EQ(arrives(), arrival::straight);
    of.b = of.a;
    EXPECT_FALSE(make_fma_plan(of, tiles_of(of.type), costs_of_h200));
    of.type = dtype::f64;
    of.arrives = arrival::turned;
    EXPECT_EQ(reason_against(of, tiles_of(of.type)).substr(0, 36),
              "no kernel has turned=2 for f64: ther");
}

// Where SMs are left to other work, no CTA may wait for a place on them.
TEST(fma_plan, leaves_sms_by_ctas_that_take_tiles_in_turn) {
    fma_request of{.m = 500, .n = 501, .k = 77, .type = dtype::f64};
    of.a = {.lies = lying::between_16_bytes, .packing_bytes = 1e6, .runs_along_k = true};
    of.arrives = arrival::straight;
    EXPECT_TRUE(make_fma_plan(of, tiles_of(of.type), costs_of_h200));
    of.leaves_sms = true;
    EXPECT_FALSE(make_fma_plan(of, tiles_of(of.type), costs_of_h200));
    of.type = dtype::f32;
    EXPECT_TRUE(make_fma_plan(of, tiles_of(of.type), costs_of_h200));
}

// Straight tiles of f64 number K in another order within a step than all others.
TEST(fma_plan, batch_invariant_f64_is_summed_as_other_tiles_do) {
    fma_request of{.m = 33, .n = 31, .k = 65, .type = dtype::f64};
    of.a = {.lies = lying::between_16_bytes, .packing_bytes = 1e6, .runs_along_k = true};
    const auto arrives = [&] { return tiles_of(of.type)[plan_of(of).tile].arrives; };
    EXPECT_EQ(arrives(), arrival::straight);
    of.batch_invariant = true;
    EXPECT_NE(arrives(), arrival::straight);
    of.arrives = arrival::straight;
    EXPECT_FALSE(make_fma_plan(of, tiles_of(of.type), costs_of_h200));
}

// Groups meet in global memory, where 1024 shares of tiles are counted.
TEST(fma_plan, of_many_tiles_forms_no_groups) {
    fma_request of{.m = 64 * 32, .n = 32 * 32, .k = 4096};
    of.block_m = 64;
    of.block_n = 32;
    of.split_k = 2;
    EXPECT_EQ(plan_of(of).cut.groups, 2);
    ++of.m;
    EXPECT_EQ(plan_of(of).cut.groups, 1);
}

// Groups leave their sums to the last one of them.
TEST(fma_plan, leaves_no_more_than_l2_about_holds) {
    fma_request of{.m = 2048, .n = 2048, .k = 4096};
    of.split_k = 16;
    of.a = {.lies = lying::along_k, .runs_along_k = true};
    for (const fma_way& tile : tiles_of(of.type)) {
        of.block_m = tile.m;
        of.block_n = tile.n;
        const int groups = plan_of(of).cut.groups;
        EXPECT_LE(groups == 1 ? 0 : 2048 * 2048 * 4 * groups, 64'000'000);
    }
}

TEST(fma_plan, weighs_what_has_to_be_packed) {
    fma_request of{.m = 8192, .n = 8192, .k = 256};
    const auto reads = [&] { return tiles_of(of.type)[plan_of(of).tile].reads; };
    EXPECT_EQ(reads(), lying::across_k);
    for (const lying lies : {lying::along_k, lying::between_16_bytes}) {
        of.a = {.lies = lies, .packing_bytes = 1e9, .runs_along_k = true};
        EXPECT_GE(reads(), lies);
    }
}

TEST(fma_plan, counts_what_a_kernel_cannot_read) {
    const fma_request of{.m = 64,
                         .n = 64,
                         .k = 64,
                         .a = {lying::along_k, 10, true},
                         .b = {lying::between_16_bytes, 100, false}};
    const auto packed = [&](lying kernel_reads) {
        const fma_tile tile = {128, 128, 8, 1, 1, 0.8, 1, kernel_reads};
        const packed_first first = packing_before(tile, of);
        return std::pair(first.columns, first.lines);
    };
    EXPECT_EQ(packed(lying::across_k), std::pair(10.0, 100.0));
    EXPECT_EQ(packed(lying::along_k), std::pair(0.0, 100.0));
    EXPECT_EQ(packed(lying::between_16_bytes), std::pair(0.0, 0.0));
}

TEST(fma_plan, is_made_for_a_gpu_that_is_cut_up) {
    for (const int sms : {1, 14, 16, 18, 26}) {
        const fma_plan plan = plan_of({.m = 256, .n = 256, .k = 8192, .sms = sms});
        EXPECT_GT(plan.seconds, 0) << sms;
        EXPECT_TRUE(std::isfinite(plan.seconds)) << sms;
    }
}

TEST(fma_plan, expects_no_more_than_the_units_can_do) {
    for (const dtype type : {dtype::f32, dtype::f64})
        for (const std::int64_t n : {128, 512, 1024, 4096, 16384}) {
            const double flop = 2.0 * static_cast<double>(n * n * n);
            EXPECT_LT(flop / plan_of(square(n, type)).seconds, 66.9e12);
        }
}

fma_plan plan_of_batch(fma_request of, std::int64_t batch) {
    of.batch = batch;
    return plan_of(of);
}

TEST(fma_plan, of_a_batch_counts_the_tiles_of_all_products) {
    for (const dtype type : {dtype::f32, dtype::f64}) {
        // One product's few tiles share K, those of many fill the GPU.
        EXPECT_GT(plan_of({.m = 256, .n = 256, .k = 2048, .type = type}).cut.parts(), 1);
        const fma_request of{.m = 256, .n = 256, .k = 2048, .type = type};
        EXPECT_EQ(plan_of_batch(of, 256).cut.parts(), 1);
        EXPECT_GT(plan_of_batch(of, 2).cut.parts(), 1);
        EXPECT_LT(plan_of_batch(of, 64).seconds, 64 * plan_of(of).seconds);
        EXPECT_LT(2 * plan_of_batch(of, 256).seconds, 5 * plan_of_batch(of, 128).seconds);
    }
}

}  // namespace
