// What the large tiles of GPUs without wgmma are predicted to take.
#include "plan/large_tiles.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <iterator>

#include "plan/costs.hpp"

namespace {

using namespace carat::plan;
using carat::dtype;
using carat::core::gpu_arithmetic;

constexpr batch_tile whole = {128, 256, 1};
constexpr batch_tile half_wide = {128, 128, 2};

large_model model_of(dtype type, gpu_arithmetic how = gpu_arithmetic::native) {
    return large_model_of(type, how, costs_of_h200);
}

double seconds_of_f16(const batch_tile& tile, int splits, const batch_request& of) {
    return seconds_of(tile, splits, of, model_of(dtype::f16));
}

TEST(large_tiles, have_a_rate_for_each_arithmetic) {
    const double rates[] = {
        model_of(dtype::i8).flop_per_s,
        model_of(dtype::f16).flop_per_s,
        model_of(dtype::f32, gpu_arithmetic::tf32).flop_per_s,
        model_of(dtype::f64).flop_per_s,
        model_of(dtype::f32, gpu_arithmetic::three_tf32).flop_per_s,
    };
    EXPECT_TRUE(std::is_sorted(std::rbegin(rates), std::rend(rates)));
    EXPECT_LT(model_of(dtype::e4m3).flop_per_s, model_of(dtype::f16).flop_per_s)
        << "9.0 converts fp8";
    EXPECT_GT(model_of(dtype::e4m3).flop_per_s, model_of(dtype::f64).flop_per_s);
    EXPECT_EQ(model_of(dtype::f16).flop_per_s, model_of(dtype::bf16).flop_per_s);
    EXPECT_EQ(model_of(dtype::e4m3).flop_per_s, model_of(dtype::e5m2).flop_per_s);
    EXPECT_LT(model_of(dtype::f32).flop_per_s,
              model_of(dtype::f32, gpu_arithmetic::tf32).flop_per_s);
}

TEST(large_tiles, a_step_is_a_k_tile) {
    for (const dtype type : {dtype::f16, dtype::i8, dtype::f64}) {
        const large_model by = model_of(type);
        const batch_request of{.m = 128, .n = 128, .k = 4096};
        EXPECT_EQ(work_of(half_wide, 1, of, by).steps, 4096 / by.block_k);
        EXPECT_EQ(work_of(half_wide, 4, of, by).steps, 1024 / by.block_k);
        EXPECT_EQ(work_of(half_wide, 4, of, by).ctas, 4);
    }
}

TEST(large_tiles, of_few_share_their_k) {
    const batch_request few{.m = 256, .n = 256, .k = 16384};
    EXPECT_LT(seconds_of_f16(half_wide, 16, few), seconds_of_f16(half_wide, 4, few));
    EXPECT_LT(seconds_of_f16(half_wide, 4, few), seconds_of_f16(half_wide, 1, few));
    const batch_request many{.m = 8192, .n = 8192, .k = 1024};
    EXPECT_GT(seconds_of_f16(half_wide, 4, many), seconds_of_f16(half_wide, 1, many));
    const batch_request thin{.m = 256, .n = 256, .k = 64};
    EXPECT_GT(seconds_of_f16(half_wide, 2, thin), seconds_of_f16(half_wide, 1, thin));
}

TEST(large_tiles, are_wide_where_those_fill_the_sms) {
    const batch_request large{.m = 8192, .n = 8192, .k = 8192};
    EXPECT_LT(seconds_of_f16(whole, 1, large), seconds_of_f16(half_wide, 1, large));
    const batch_request small{.m = 1024, .n = 1024, .k = 1024};
    EXPECT_GT(seconds_of_f16(whole, 1, small), seconds_of_f16(half_wide, 1, small));
}

TEST(large_tiles, take_longer_for_what_they_read_and_store_besides) {
    batch_request of{.m = 4096, .n = 4096, .k = 64};
    const double plain = seconds_of_f16(half_wide, 1, of);
    of.adds_e = true;
    const double added = seconds_of_f16(half_wide, 1, of);
    EXPECT_GT(added, plain);
    of.vectorized_c = false;
    EXPECT_GT(seconds_of_f16(half_wide, 1, of), added);
}

}  // namespace
