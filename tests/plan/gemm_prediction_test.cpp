// A plan's prediction on a GPU with round numbers, compared with sums computed by hand.
#include "plan/gemm_prediction.hpp"

#include <gtest/gtest.h>
#include <numeric>

#include "cuda/families/fma/kernel_table.hpp"
#include "plan/gemm_candidates.hpp"
#include "tests/plan/gemm_case.hpp"

namespace {

using namespace carat;
using namespace carat::test;
using core::gpu_prediction;
using core::gpu_rates;

constexpr gpu_rates here = {.unit_gflops = 900e3, .memory_gb_per_s = 4000};

gpu_prediction of_plan(const gemm_request& of, const gpu_rates& rates = here,
                       const plan::packed_first& packing = {}) {
    return plan::predict(plan_of(of), of, cuda::wgmma::costs, packing, rates).value();
}

double part(const gpu_prediction& told, std::string_view name) {
    for (const auto& p : told.parts)
        if (p.name == name) return p.time_s;
    ADD_FAILURE() << name;
    return 0;
}

// 4096^3 of bf16 in tiles of 128 x 256: 32 x 16 of them on 132 SMs.
TEST(gemm_prediction, counts_tiles_waves_bytes_and_cycles) {
    gemm_request of = row_major(4096, 4096, 4096);
    of.asked = {.block_m = 128, .block_n = 256, .stream_k = choice::no};
    const gpu_prediction told = of_plan(of);
    EXPECT_EQ(told.kind, "cooperative");
    EXPECT_EQ(told.tiles, 512);
    EXPECT_EQ(told.at_once, 132);
    EXPECT_DOUBLE_EQ(told.waves, 512.0 / 132);
    EXPECT_DOUBLE_EQ(told.idle_share, 1 - 512.0 / (4 * 132));
    // A and B have 33.6 MB each, more than L2 keeps: a tenth comes again for each further tile.
    const double operand = 4096.0 * 4096 * 2;
    EXPECT_DOUBLE_EQ(told.memory_bytes, operand * (1 + 0.1 * 15) + operand * (1 + 0.1 * 31));
    EXPECT_DOUBLE_EQ(told.stored_bytes, 4096.0 * 4096 * 4);
    // A tile loads 64 k-blocks of 128 bytes of 128 rows and, B being multicast to two, 128 columns.
    EXPECT_DOUBLE_EQ(told.l2_bytes, 512.0 * 64 * 128 * (128 + 128));
    // Four turns of 2 x 128 x 256 x 4096 operations on one of 132 SMs.
    EXPECT_NEAR(part(told, "tensor cores"), 4 * 2.0 * 128 * 256 * 4096 / (900e12 / 132), 1e-12);
    EXPECT_GT(told.time_s, part(told, "tensor cores") + part(told, "launch"));
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

// What runs at once counts as its longest, a share of the rest, and what follows in full.
TEST(gemm_prediction, adds_up) {
    for (const gemm_request& of : requests()) {
        if (of.k == 1 || of.m == 1) continue;
        const gpu_prediction told = of_plan(of, here, {.bytes = 1e6, .transposed_bytes = 1e6});
        double longest = 0, after = 0;
        for (const auto& p : told.parts)
            (p.at_once_with_others ? longest : after) =
                p.at_once_with_others ? std::max(longest, p.time_s) : after + p.time_s;
        SCOPED_TRACE(testing::PrintToString(of));
        EXPECT_NEAR(told.time_s, longest + after, 1e-9 * told.time_s);
        EXPECT_GT(told.time_s, 0);
        EXPECT_GE(told.idle_share, 0);
        EXPECT_LT(told.idle_share, 1);
    }
}

TEST(gemm_prediction, follows_the_rates_measured_here) {
    const gemm_request large = row_major(8192, 8192, 8192);
    const double fast = of_plan(large).time_s;
    EXPECT_NEAR(of_plan(large, {450e3, 4000}).time_s / fast, 2, 0.05);
    EXPECT_NEAR(of_plan(large, {900e3, 2000}).time_s / fast, 1, 0.05);
    const gemm_request weights = row_major(16, 16384, 8192);
    const double streamed = of_plan(weights).time_s;
    EXPECT_NEAR(of_plan(weights, {900e3, 2000}).time_s / streamed, 2, 0.1);
    EXPECT_FALSE(plan::predict(plan_of(large), large, cuda::wgmma::costs, {}, {0, 4000}));
    EXPECT_FALSE(plan::predict(plan_of(large), large, cuda::wgmma::costs, {}, {900e3, 0}));
}

// No product of tensor cores that are kept busy beats the limit of power.
TEST(gemm_prediction, ends_at_the_limit_of_power) {
    const gemm_request large = row_major(16384, 16384, 16384);
    const double sustained = cuda::wgmma::costs.prediction.sustained_share * here.unit_gflops * 1e9;
    EXPECT_GE(of_plan(large).time_s, 2.0 * 16384 * 16384 * 16384 / sustained);
}

TEST(gemm_prediction, adds_what_is_packed_first) {
    const gemm_request of = row_major(1024, 1024, 1024);
    const auto& with = cuda::wgmma::costs.prediction;
    const double packed = of_plan(of, here, {.bytes = 3e6, .transposed_bytes = 0}).time_s;
    EXPECT_NEAR(packed - of_plan(of).time_s, with.packing_launch_s + 3e6 / with.packing_bytes_per_s,
                1e-12);
    const double transposed = of_plan(of, here, {.bytes = 0, .transposed_bytes = 3e6}).time_s;
    EXPECT_NEAR(transposed - of_plan(of).time_s,
                with.transposing_launch_s + 3e6 / with.transposing_bytes_per_s, 1e-12);
}

// Each GPU's costs go with the memory that was measured on it (results/h100/bf16.json): at that
// rate nothing is scaled.
TEST(gemm_prediction, takes_the_memory_of_each_gpu_for_its_own) {
    const gemm_request weights = row_major(16, 16384, 8192);
    for (const auto& [model, gb_per_s] : {std::pair(h200, 4616.0), std::pair(h100, 3085.0)}) {
        const plan::gemm_plan plan = plan::plan_gemm(weights, model).value();
        const gpu_rates rates = {940e3, gb_per_s};
        const gpu_prediction told = plan::predict(plan, weights, model.costs, {}, rates).value();
        EXPECT_DOUBLE_EQ(part(told, "memory"),
                         told.memory_bytes / model.costs.thin.memory_bytes_per_s)
            << gb_per_s;
    }
}

// Tiles that fill a part of the SMs take as long to store as those that fill all, and longer where
// rows of C begin anywhere.
TEST(gemm_prediction, stores_a_tile_at_the_rate_of_an_sm) {
    gemm_request of = row_major(128, 256, 64);
    of.asked = {.block_m = 128, .block_n = 256, .split_k = 1, .stream_k = choice::no};
    const double one = part(of_plan(of), "C");
    of.m *= 64;
    EXPECT_DOUBLE_EQ(part(of_plan(of), "C"), one);
    const auto& fit = cuda::wgmma::costs.prediction.persistent;
    EXPECT_DOUBLE_EQ(one, 128.0 * 256 * 4 / fit.stored_bytes_per_s);
    of.c_on_16_bytes = false;
    EXPECT_DOUBLE_EQ(part(of_plan(of), "C"), 128.0 * 256 * 4 / fit.stored_off_16_bytes_per_s);
    of.m *= 4;
    EXPECT_DOUBLE_EQ(part(of_plan(of), "C"), 2 * 128.0 * 256 * 4 / fit.stored_off_16_bytes_per_s);
}

// 1024^3 of f32 in tiles of 128 x 128, one to an SM: 64 of them.
TEST(fma_prediction, counts_tiles_and_cycles) {
    const plan::fma_tile tile = {128, 128, 8, 1, 1, 0.8, 1, false};
    const plan::fma_request of = {.m = 1024, .n = 1024, .k = 1024};
    plan::fma_plan plan = {.block_m = 128, .block_n = 128, .cut = {}, .seconds = 0};
    const gpu_rates rates = {65.8e3, 4616};  // those of the H200 that it was measured on
    const gpu_prediction told = plan::predict(plan, of, tile, {}, rates).value();
    EXPECT_EQ(told.tiles, 64);
    EXPECT_EQ(told.at_once, 132);
    EXPECT_DOUBLE_EQ(told.idle_share, 1 - 64.0 / 132);
    EXPECT_NEAR(part(told, "multiply-add units"), 128 * 128 * 1024 / (0.8 * 128 * 1.98e9), 1e-12);
    EXPECT_DOUBLE_EQ(told.memory_bytes, 2 * 1024.0 * 1024 * 4);
    EXPECT_DOUBLE_EQ(told.l2_bytes, 2 * 8 * 1024.0 * 1024 * 4);
    EXPECT_EQ(part(told, "CTAs that meet"), 0);
    EXPECT_GE(told.time_s,
              part(told, "multiply-add units") + part(told, "launch") + part(told, "C"));
    plan::fma_request odd = of;
    odd.c_on_16_bytes = false;
    EXPECT_GT(part(plan::predict(plan, odd, tile, {}, rates).value(), "C"), 2 * part(told, "C"));
    const gpu_prediction packed = plan::predict(plan, of, tile, {.bytes = 4e9}, rates).value();
    EXPECT_NEAR(packed.time_s - told.time_s, part(packed, "packing"), 1e-12);
    EXPECT_GT(part(packed, "packing"), 4e9 / 4.616e12);
    plan.cut = {.cluster = 1, .groups = 2};
    const gpu_prediction cut = plan::predict(plan, of, tile, {}, rates).value();
    EXPECT_EQ(cut.tiles, 128);
    EXPECT_DOUBLE_EQ(2 * part(cut, "multiply-add units"), part(told, "multiply-add units"));
    EXPECT_GT(part(cut, "CTAs that meet"), 1e-6);
}

TEST(gemv_prediction, is_memory_and_a_launch) {
    const gpu_prediction told = plan::predict_gemv(64e6, 1024, here).value();
    EXPECT_GT(told.time_s, 64e6 / 4e12);
    EXPECT_LT(told.time_s, 64e6 / 4e12 * 1.1 + 4e-6);
    EXPECT_FALSE(plan::predict_gemv(64e6, 1024, {1, 0}));
}

}  // namespace
