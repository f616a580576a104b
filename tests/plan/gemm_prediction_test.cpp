// What `explain` tells of a plan on a GPU with round numbers, compared with sums computed by hand.
#include "plan/gemm_prediction.hpp"

#include <algorithm>
#include <gtest/gtest.h>

#include "plan/fma_plan.hpp"
#include "plan/gemm_candidates.hpp"
#include "plan/gemm_cost.hpp"
#include "tests/plan/gemm_case.hpp"

namespace {

using namespace carat;
using namespace carat::test;
using core::gpu_prediction;
using core::roofline_rates;

constexpr roofline_rates here = {.unit_gflops = 900e3, .memory_gb_per_s = 4000};

constexpr plan::gpu_costs round_costs = [] {
    plan::gpu_costs costs = plan::costs_of_h200;
    costs.memory_bytes_per_s = 4e12;
    const auto round = [](auto& tiles, auto& fed) {
        tiles.column_s = 2e-9;
        tiles.launch_s = 3e-6;
        tiles.fill_s = 1e-6;
        tiles.missing_s = 0;
        tiles.sharing_s = 0;
        tiles.stored_bytes_per_s = 1e11;
        tiles.stored_odd_factor = 3;
        fed.busy_share = 0;
        fed.crowded_s = 0;
        fed.l2_bytes_per_s = 1e13;
        fed.l2_bytes = 2e7;
        fed.memory_bytes_per_s = 8e12;
    };
    round(costs.wgmma, costs.wgmma.sharing);
    round(costs.persistent, costs.persistent.feeding);
    costs.gemv.memory_bytes_per_s = 3.8e12;
    costs.fma_f32.flop_per_s = 5e11;
    costs.fma_f32.sharing.busy_share = 0;
    return costs;
}();
constexpr plan::gemm_model round_gpu = {cuda::wgmma::kernel_table, round_costs};

// src/cuda/families/wgmma/host/prediction.cpp makes it so.
gpu_prediction of_plan(const gemm_request& of, const roofline_rates& rates = here) {
    const plan::gpu_costs costs = plan::costs_at(round_costs, rates.memory_gb_per_s * 1e9);
    const gemm_plan plan = plan::plan_gemm(of, round_gpu).value();
    plan::launch_work work = plan::work_of(plan::candidate_of(plan, of), of, costs);
    work.ahead_s = plan::seconds_of(of.packing, costs.packing);
    return plan::predict({.kind = std::string(core::kernel_name::name_of(plan.kernel->schedule)),
                          .unit = "tensor cores",
                          .stored_bytes = static_cast<double>(of.m * of.n * of.result_bytes),
                          .packed_bytes = of.packing.lines + of.packing.columns},
                         work, plan::sharing_of(*plan.kernel, costs), rates)
        .value();
}

double part(const gpu_prediction& told, std::string_view name) {
    for (const auto& p : told.parts)
        if (p.name == name) return p.time_s;
    ADD_FAILURE() << name;
    return 0;
}

// 4096^3 of bf16 in tiles of 128 x 256: 32 x 16 of them on 132 SMs, in four waves of 64 k-blocks.
TEST(gemm_prediction, counts_tiles_waves_bytes_and_seconds) {
    gemm_request of = row_major(4096, 4096, 4096);
    of.asked = {.block_m = 128, .block_n = 256, .stream_k = choice::no};
    const gpu_prediction told = of_plan(of);
    EXPECT_EQ(told.kind, "cooperative");
    EXPECT_EQ(told.tiles, 512);
    EXPECT_EQ(told.at_once, 132);
    EXPECT_DOUBLE_EQ(told.waves, 512.0 / 132);
    EXPECT_DOUBLE_EQ(told.idle_share, 1 - 512.0 / (4 * 132));
    const double matrix = 4096.0 * 4096;
    EXPECT_DOUBLE_EQ(told.memory_bytes, 2 * matrix * 2);
    EXPECT_DOUBLE_EQ(told.stored_bytes, matrix * 4);
    // A k-block is 128 bytes of 128 rows and, B being multicast to two, of 128 columns.
    EXPECT_DOUBLE_EQ(told.l2_bytes, 512.0 * 64 * 128 * (128 + 128));
    EXPECT_NEAR(part(told, "tensor cores"), 4 * 64 * 256 * 2e-9, 1e-12);
    EXPECT_NEAR(part(told, "L2 to the SMs"), (3 * 132 + 116) * 64 * 128.0 * (128 + 128) / 1e13,
                1e-12);
    EXPECT_NEAR(part(told, "filling, meeting, C"), 1e-6 + 4 * 128 * 256 * 4 / 1e11, 1e-12);
    EXPECT_NEAR(part(told, "memory beyond L2"), (2 * matrix * 2 + matrix * 4) / 8e12, 1e-12);
    EXPECT_DOUBLE_EQ(part(told, "launch"), 3e-6);
    EXPECT_EQ(part(told, "packing"), 0);
    EXPECT_LT(told.low_s, told.time_s);
    EXPECT_GT(told.high_s, told.time_s);
}

// E is read as well as A and B.
TEST(gemm_prediction, counts_the_bytes_that_beta_multiplies) {
    gemm_request of = row_major(4096, 4096, 512);
    of.asked = {.block_m = 128, .block_n = 256, .stream_k = choice::no};
    const gpu_prediction without = of_plan(of);
    of.adds_e = true;
    const gpu_prediction with = of_plan(of);
    EXPECT_DOUBLE_EQ(with.memory_bytes, without.memory_bytes + 4096.0 * 4096 * 4);
    EXPECT_DOUBLE_EQ(with.stored_bytes, without.stored_bytes);
    EXPECT_GT(with.time_s, without.time_s);
}

// What runs at once counts as its longest; what follows, and what that lacks, in full.
TEST(gemm_prediction, adds_up) {
    for (gemm_request of : requests()) {
        of.packing = {.lines = 1e6, .columns = 1e6};
        const gpu_prediction told = of_plan(of);
        SCOPED_TRACE(testing::PrintToString(of));
        double longest = 0, after = 0;
        for (const auto& p : told.parts) {
            EXPECT_GE(p.time_s, -1e-9 * told.time_s) << p.name;
            (p.at_once_with_others ? longest : after) =
                p.at_once_with_others ? std::max(longest, p.time_s) : after + p.time_s;
        }
        EXPECT_NEAR(told.time_s, longest + after, 1e-9 * told.time_s);
        EXPECT_NEAR(told.time_s,
                    plan::seconds_of(plan::plan_gemm(of, round_gpu).value(), of, round_costs),
                    1e-9 * told.time_s);
        EXPECT_GT(part(told, "packing"), 0);
        EXPECT_GE(told.idle_share, 0);
        EXPECT_LT(told.idle_share, 1);
    }
}

TEST(gemm_prediction, follows_the_memory_that_was_measured_here) {
    const gemm_request weights = row_major(16, 16384, 8192);
    const gpu_prediction fast = of_plan(weights);
    const gpu_prediction slow = of_plan(weights, {900e3, 2000});
    EXPECT_GT(part(fast, "memory beyond L2"), 0);
    EXPECT_DOUBLE_EQ(part(slow, "memory beyond L2"), 2 * part(fast, "memory beyond L2"));
    for (const char* other : {"tensor cores", "L2 to the SMs", "launch", "packing"})
        EXPECT_DOUBLE_EQ(part(slow, other), part(fast, other)) << other;
    EXPECT_GT(slow.time_s, fast.time_s);
    const auto with = [](const roofline_rates& rates) {
        return plan::predict({}, {}, round_costs.wgmma.sharing, rates).has_value();
    };
    EXPECT_TRUE(with(here));
    EXPECT_FALSE(with({0, 4000}));
    EXPECT_FALSE(with({900e3, 0}));
}

// Tiles that fill a part of the SMs take as long to store as those that fill all, and longer where
// rows of C begin anywhere.
TEST(gemm_prediction, stores_a_tile_at_the_rate_of_an_sm) {
    gemm_request of = row_major(128, 256, 64);
    of.asked = {.block_m = 128, .block_n = 256, .split_k = 1, .stream_k = choice::no};
    const auto stored = [&] { return part(of_plan(of), "filling, meeting, C"); };
    const double one = 128.0 * 256 * 4 / 1e11;
    EXPECT_NEAR(stored(), 1e-6 + one, 1e-12);
    of.m *= 64;
    EXPECT_NEAR(stored(), 1e-6 + one, 1e-12);
    of.c_on_16_bytes = false;
    EXPECT_NEAR(stored(), 1e-6 + 3 * one, 1e-12);
    of.m *= 4;
    EXPECT_GT(stored(), 1e-6 + 3 * one) << "for two rounds, but partly behind memory";
}

// 1024^3 of f32 in tiles of 128 x 128, one to an SM: 64 of them.
TEST(fma_prediction, counts_tiles_and_seconds) {
    const plan::fma_way tile = {{128, 128, 8, 1, 1, 0.8, 1, plan::lying::across_k}};
    plan::fma_request of = {.m = 1024, .n = 1024, .k = 1024};
    const auto predicted = [&](const plan::fma_cut& cut = {}) {
        const double stored = 1024.0 * 1024 * 4;
        return plan::predict({.kind = "fma", .unit = "multiply-add units", .stored_bytes = stored},
                             plan::work_of(tile, cut, of, round_costs), round_costs.fma_f32.sharing,
                             here)
            .value();
    };
    const gpu_prediction told = predicted();
    EXPECT_EQ(told.kind, "fma");
    EXPECT_EQ(told.tiles, 64);
    EXPECT_DOUBLE_EQ(told.waves, 64.0 / 132);
    EXPECT_DOUBLE_EQ(told.idle_share, 1 - 64.0 / 132);
    EXPECT_NEAR(part(told, "multiply-add units"), 2.0 * 128 * 128 * 1024 / (0.8 * 5e11), 1e-12);
    EXPECT_DOUBLE_EQ(told.memory_bytes, 2 * 1024.0 * 1024 * 4);
    EXPECT_DOUBLE_EQ(told.l2_bytes, 2 * 8 * 1024.0 * 1024 * 4);
    const gpu_prediction halved = predicted({.cluster = 1, .groups = 2});
    EXPECT_EQ(halved.tiles, 128);
    EXPECT_DOUBLE_EQ(2 * part(halved, "multiply-add units"), part(told, "multiply-add units"));
    EXPECT_GT(part(halved, "filling, meeting, C"), part(told, "filling, meeting, C") + 1e-6);
    of.c_on_16_bytes = false;
    EXPECT_GT(part(predicted(), "filling, meeting, C"), part(told, "filling, meeting, C"));
    of.a = {.lies = plan::lying::scattered, .packing_bytes = 4e9};
    EXPECT_DOUBLE_EQ(part(predicted(), "packing"),
                     plan::seconds_of({.lines = 4e9}, round_costs.packing));
    of.b = {.lies = plan::lying::along_k, .packing_bytes = 1e9, .runs_along_k = true};
    EXPECT_DOUBLE_EQ(part(predicted(), "packing"),
                     plan::seconds_of({.lines = 4e9, .columns = 1e9}, round_costs.packing));
}

TEST(gemv_prediction, is_memory_and_a_launch) {
    const gpu_prediction told = plan::predict_gemv(64e6, 1024, round_costs, here).value();
    EXPECT_GT(told.time_s, 64e6 / 4e12);
    EXPECT_LT(told.time_s, 64e6 / 4e12 * 1.1 + 4e-6);
    EXPECT_FALSE(plan::predict_gemv(64e6, 1024, round_costs, {1, 0}));
}

}  // namespace
