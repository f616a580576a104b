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
const batch_model half{costs_of_h200.mma_half, mma::half_tiles, 2, 32};
const batch_model all_models[] = {half,
                                  {costs_of_h200.mma_f64, mma::f64_tiles, 8, 16},
                                  {costs_of_h200.mma_f32, mma::f32_tiles, 4, 16},
                                  {costs_of_h200.mma_tf32, mma::tf32_tiles, 4, 16}};

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
                                EXPECT_LE(plan.seconds, seconds_of(tile, of, model, model.costs));
                            EXPECT_EQ(plan.seconds,
                                      seconds_of(model.tiles[plan.row], of, model, model.costs));
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

TEST(batch_tiles, one_matrix_for_all_is_read_once) {
    batch_request of{.m = 16, .n = 32, .k = 32768, .batch = 64};
    const double all = plan_batch_tiles(of, half).seconds;
    of.one_b = true;
    EXPECT_LE(plan_batch_tiles(of, half).seconds, all);
}

}  // namespace
