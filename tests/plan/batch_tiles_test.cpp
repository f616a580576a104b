// Which tile the kernels of batches take, and what they are predicted to take.
#include "plan/batch_tiles.hpp"

#include <algorithm>
#include <gtest/gtest.h>

#include "cuda/families/mma/kernel_table.hpp"
#include "plan/costs.hpp"

namespace {

using namespace carat::plan;
namespace mma = carat::cuda::mma;

// mma::model_for makes them so (src/cuda/families/mma/product.cpp).
const batch_model half{costs_of_h200.mma_half, costs_of_h200.mma_large, mma::half_tiles, 2, 32};
const batch_model all_models[] = {
    half,
    {costs_of_h200.mma_f64, costs_of_h200.mma_large, mma::f64_tiles, 8, 16},
    {costs_of_h200.mma_f32, costs_of_h200.mma_large, mma::f32_tiles, 4, 16},
    {costs_of_h200.mma_tf32, costs_of_h200.mma_large, mma::tf32_tiles, 4, 16}};

const batch_tile& tile_of(const batch_request& of) {
    return half.tiles[plan_batch_tiles(of, half).row];
}

TEST(batch_tiles, the_fastest_of_all_is_taken) {
    for (const std::int64_t m : {16, 100, 700})
        for (const std::int64_t n : {16, 100, 700})
            for (const std::int64_t k : {16, 100, 700})
                for (const std::int64_t count : {2, 50, 1000})
                    for (const int together : {1, 2, 4, 8}) {
                        batch_request of{.m = m, .n = n, .k = k, .batch = count};
                        of.together_a = together;
                        for (const batch_model& model : all_models) {
                            const batch_tile_plan plan = plan_batch_tiles(of, model);
                            for (const batch_tile& tile : model.tiles)
                                EXPECT_LE(plan.seconds,
                                          seconds_of(tile, 1, of, model, model.costs));
                            EXPECT_EQ(plan.seconds, seconds_of(model.tiles[plan.row], plan.splits,
                                                               of, model, model.costs));
                        }
                    }
}

// Tiles that stick out multiply zeros.
TEST(batch_tiles, small_products_take_small_tiles_and_large_ones_large_tiles) {
    EXPECT_EQ(tile_of({.m = 32, .n = 32, .k = 64, .batch = 4000}).block_m, 32);
    EXPECT_EQ(tile_of({.m = 2048, .n = 2048, .k = 64, .batch = 16}).block_m, 128);
    EXPECT_LT(tile_of({.m = 32, .n = 2048, .k = 256, .batch = 500}).block_m, 64);
    EXPECT_LT(tile_of({.m = 2048, .n = 32, .k = 256, .batch = 500}).block_n, 64);
}

TEST(batch_tiles, nothing_is_faster_than_memory) {
    const batch_request of{.m = 512, .n = 512, .k = 16, .batch = 500};
    const double bytes = 2.0 * 500 * (512 * 512 + 2 * 512 * 16);
    EXPECT_GT(plan_batch_tiles(of, half).seconds, bytes / 3.35e12);
}

TEST(batch_tiles, elements_that_come_by_twos_take_longer) {
    batch_request of{.m = 256, .n = 256, .k = 512, .batch = 400};
    const double aligned = plan_batch_tiles(of, half).seconds;
    of.together_b = 1;
    const double pairs = plan_batch_tiles(of, half).seconds;
    EXPECT_GT(pairs, aligned);
    of.vectorized_c = false;
    EXPECT_GT(plan_batch_tiles(of, half).seconds, pairs);
}

// 2 tiles of K = 8192 leave nearly all SMs idle.
TEST(batch_tiles, share_k_where_few_are_deep_and_they_may) {
    batch_request of{.m = 64, .n = 128, .k = 8192};
    EXPECT_EQ(plan_batch_tiles(of, half).splits, 1);
    of.may_share_k = true;
    EXPECT_GT(plan_batch_tiles(of, half).splits, 4);
    of.k = 96;
    EXPECT_EQ(plan_batch_tiles(of, half).splits, 1) << "no CTA would have four steps";
    of = {.m = 4096, .n = 4096, .k = 8192, .may_share_k = true};
    EXPECT_EQ(plan_batch_tiles(of, half).splits, 1) << "the GPU is full";
}

// Parts of K beyond one wave of CTAs fill the last wave.
TEST(batch_tiles, parts_may_be_more_than_ctas_at_once) {
    const batch_tile tile{128, 128, 2};
    const batch_request of{.m = 1024, .n = 2176, .k = 8192, .may_share_k = true};
    EXPECT_TRUE(may_share_k(of, tile, 4, 2)) << "136 tiles, 264 CTAs at once";
    EXPECT_FALSE(may_share_k(of, tile, 6, 2)) << "more than three waves";
    EXPECT_FALSE(may_share_k({.m = 64, .n = 64, .k = 8192}, tile, 2, 2)) << "it must not";
    EXPECT_FALSE(may_share_k({.m = 64, .n = 64, .k = 255, .may_share_k = true}, tile, 2, 2));
    EXPECT_TRUE(may_share_k({.m = 64, .n = 64, .k = 256, .may_share_k = true}, tile, 2, 2));
}

// All SMs add up: twice as large a C takes twice as long beyond the launch, whatever its tiles are.
TEST(batch_tiles, sums_are_added_up_by_all_sms) {
    const large_costs& costs = costs_of_h200.mma_large;
    const batch_request of{.m = 512, .n = 512, .k = 8192, .may_share_k = true};
    batch_request twice = of;
    twice.batch = 2;
    EXPECT_EQ(adding_up_s(of, 1, 4, costs), 0);
    EXPECT_GT(adding_up_s(of, 8, 4, costs), adding_up_s(of, 4, 4, costs));
    EXPECT_NEAR(adding_up_s(twice, 8, 4, costs) - costs.groups_s,
                2 * (adding_up_s(of, 8, 4, costs) - costs.groups_s), 1e-12);
}

TEST(batch_tiles, one_matrix_for_all_is_read_once) {
    batch_request of{.m = 16, .n = 32, .k = 32768, .batch = 64};
    const double all = plan_batch_tiles(of, half).seconds;
    of.one_b = true;
    EXPECT_LE(plan_batch_tiles(of, half).seconds, all);
}

}  // namespace
