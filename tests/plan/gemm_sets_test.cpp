// Plans of several products in one launch: groups of different sizes, batches, and gates with their
// values.
#include <array>
#include <gtest/gtest.h>
#include <optional>
#include <vector>

#include "tests/plan/gemm_case.hpp"

namespace {

using namespace carat;
using namespace carat::test;
using plan::plan_group;
using plan::product_size;

std::optional<gemm_plan> batch_of(gemm_request of, std::int64_t count) {
    of.batch = count;
    return plan::plan_batch(of, h200);
}

std::optional<gemm_plan> glu_of(const gemm_request& of) {
    return plan::plan_glu(of, h200);
}

TEST(plan_group, is_of_narrow_tiles_that_exist) {
    for (gemm_request like : requests()) {
        if (like.accumulate == accumulation::blockwise) continue;
        like.asked.split_k = like.m == 16 ? 1 : 0;
        const std::vector<product_size> all = {
            {like.m, like.n, like.k}, {like.n, like.m, 2 * like.k}, {64, 64, 4 * like.k}};
        const gemm_plan plan = plan_group(like, all, h200).plan;
        SCOPED_TRACE(testing::PrintToString(plan));
        EXPECT_TRUE(plan.kernel->grouped);
        EXPECT_EQ(plan.cluster_m * plan.cluster_n, 1);
        // Every part of the shallowest has something to multiply.
        EXPECT_LE((plan.split_k - 1) * 128, like.bytes_of(like.k));
        if (like.asked.split_k != 0) {
            EXPECT_EQ(plan.split_k, like.asked.split_k);
        }
        EXPECT_TRUE(reads_so(plan, like));
        EXPECT_GT(plan.seconds, 0);
    }
}

TEST(plan_group, large_products_take_wide_tiles_one_after_the_other) {
    const gemm_request like = row_major(0, 0, 0);
    EXPECT_TRUE(plan_group(like, std::vector<product_size>(64, {64, 64, 64}), h200).at_once);
    EXPECT_TRUE(plan_group(like, std::vector<product_size>(8, {100, 4096, 4096}), h200).at_once);
    EXPECT_FALSE(plan_group(like, std::vector<product_size>(4, {8192, 8192, 8192}), h200).at_once);
}

TEST(plan_group, many_shared_rows_take_persistent_tiles) {
    const gemm_request like = row_major(0, 0, 0);
    const auto is_persistent = [&](std::vector<product_size> all, bool share) {
        const plan::group_plan with = plan_group(like, all, h200, share);
        EXPECT_EQ(with.plan.cluster_m, with.plan.kernel->cluster_m);
        EXPECT_FALSE(with.plan.kernel->batched && with.plan.split_k > 1);
        return with.plan.kernel->batched;
    };
    const std::vector<product_size> many(8, {1024, 4096, 4096});
    EXPECT_TRUE(is_persistent(many, true));
    EXPECT_FALSE(is_persistent(many, false));
    EXPECT_FALSE(is_persistent(std::vector<product_size>(64, {8, 2048, 7168}), true));
}

TEST(plan_batch, is_one_launch_of_kernels_that_take_batches_unless_that_is_slower) {
    int planned = 0, one_by_one = 0;
    for (const gemm_request& of : requests())
        for (const std::int64_t count : {2, 100, 4096}) {
            SCOPED_TRACE(testing::PrintToString(of));
            const double apart = static_cast<double>(count) * plan_of(of).seconds;
            const std::optional<gemm_plan> plan = batch_of(of, count);
            if (!plan) {
                ++one_by_one;
                gemm_request all = of;
                all.batch = count;
                EXPECT_GT(plan_of(all).seconds, apart);
                continue;
            }
            ++planned;
            EXPECT_EQ(plan->kernel->is_persistent(), plan->kernel->batched);
            EXPECT_LE(plan->seconds, apart);
        }
    EXPECT_GT(planned, 1000);
    EXPECT_GT(one_by_one, 0);
}

TEST(plan_batch, cuts_k_only_where_the_products_do_not_fill_the_gpu) {
    EXPECT_GT(plan_of(row_major(256, 256, 4096)).split_k, 1);
    EXPECT_GT(batch_of(row_major(256, 256, 4096), 2).value().split_k, 1);
    EXPECT_EQ(batch_of(row_major(256, 256, 4096), 256).value().split_k, 1);
}

// Tiles of one product do not fill the GPU, those of all do many times.
TEST(plan_batch, products_of_several_tiles_take_persistent_ones) {
    for (const gemm_request& of : {row_major(512, 512, 512), row_major(576, 1328, 1432),
                                   row_major(808, 1840, 320), row_major(512, 520, 272)})
        EXPECT_TRUE(batch_of(of, 64).value().kernel->batched) << testing::PrintToString(of);
    EXPECT_FALSE(plan_of(row_major(4096, 4096, 4096)).kernel->batched);
}

// Products that lie anywhere are asked for so: their launch is a group's, of single tiles.
TEST(plan_batch, without_clusters_is_of_single_tiles) {
    for (const std::int64_t count : {3, 40, 400})
        for (const std::int64_t size : {48, 200, 1024}) {
            gemm_request of = row_major(size, size, size);
            of.batch = count;
            of.asked.cluster_m = of.asked.cluster_n = 1;
            const gemm_plan plan = plan_of(of);
            EXPECT_FALSE(plan.kernel->is_persistent()) << testing::PrintToString(plan);
            EXPECT_EQ(plan.cluster_m * plan.cluster_n, 1);
        }
}

// A product with a gate: n counts the columns of A B, of which C has half.
TEST(plan_glu, is_of_tiles_that_hold_gates_and_values) {
    int some = 0;
    for (const gemm_request& r : requests()) {
        const auto plan = glu_of(r);
        if (!r.c_by_rows) {
            EXPECT_FALSE(plan);
        }
        if (!plan) continue;
        ++some;
        SCOPED_TRACE(testing::PrintToString(*plan));
        EXPECT_TRUE(plan->kernel->glu);
        EXPECT_FALSE(plan->swap_ab);
        EXPECT_EQ(plan->cluster(), 2);
    }
    EXPECT_GT(some, 50);
    EXPECT_TRUE(glu_of(of_type(dtype::e4m3, 4096, accumulation::promoted)));
    for (const auto sums : {accumulation::native, accumulation::blockwise})
        EXPECT_FALSE(glu_of(of_type(dtype::e4m3, 4096, sums)));
    EXPECT_FALSE(glu_of(of_type(dtype::f32, 4096)));
}

TEST(plan_glu, shares_out_evenly_where_that_is_asked_for) {
    gemm_request r = row_major(520, 2 * 1480, 136);
    r.asked = {.schedule = kernel_schedule::pingpong, .stream_k = choice::yes};
    EXPECT_TRUE(glu_of(r)->kernel->stream_k);
    r.asked.stream_k = choice::no;
    EXPECT_FALSE(glu_of(r)->kernel->stream_k);
}

TEST(plan_glu, leaves_few_rows_to_a_pass) {
    for (const std::int64_t m : {1, 16, 64, 128})
        EXPECT_FALSE(glu_of(row_major(m, 8192, 4096))) << m;
    EXPECT_FALSE(glu_of(row_major(256, 256, 4096))) << "few tiles share K";
    for (const std::int64_t m : {512, 1024, 4096})
        EXPECT_TRUE(glu_of(row_major(m, 8192, 4096))) << m;
    EXPECT_TRUE(glu_of(row_major(4096, 8192, 64)));
}

TEST(plan_glu, leaves_values_that_begin_within_16_bytes_to_a_pass) {
    gemm_request r = row_major(4096, 2 * 4100, 512);
    EXPECT_FALSE(glu_of(r));
    r.b_major = operand_major::k;
    EXPECT_TRUE(glu_of(r));
}

TEST(plan_glu, takes_tiles_that_were_asked_for_whatever_they_cost) {
    gemm_request r = row_major(1, 8192, 4096);
    EXPECT_FALSE(glu_of(r));
    r.asked.block_n = 256;
    EXPECT_EQ(glu_of(r)->kernel->block_n, 256);
    r.asked = {.schedule = kernel_schedule::pingpong};
    EXPECT_TRUE(is_pingpong(*glu_of(r)));
}

}  // namespace
