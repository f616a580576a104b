// Which unit and which memory bound a product on a GPU, with planted peaks.
#include "lab/gpu/roofline.hpp"

#include <gtest/gtest.h>

#include "tests/gpu/planted.hpp"

namespace {

using namespace carat;

const machine::peaks& limits() {
    static const gpu::known_gpu planted = test::planted_gpu();
    return planted.limits;
}

double peak(dtype type, std::string_view computes_in) {
    return gpu::peak_gflops(limits(), type, computes_in).value_or(0);
}

TEST(gpu_roofline, the_unit_is_that_of_the_precision_computed_in) {
    EXPECT_EQ(peak(dtype::f32, "f32"), 60e3);    // ffma
    EXPECT_EQ(peak(dtype::f32, "tf32"), 500e3);  // the same data on the tensor cores
    EXPECT_EQ(peak(dtype::f32, "f16"), 1000e3);  // rounded to f16 first
    EXPECT_DOUBLE_EQ(peak(dtype::f32, "3xtf32"), 500e3 / 3);
    EXPECT_EQ(peak(dtype::f64, "f16"), 1000e3);
    EXPECT_EQ(peak(dtype::f64, "f64"), 60e3);  // dmma, the better of two
    EXPECT_EQ(peak(dtype::f64, "f32"), 60e3);
    EXPECT_EQ(peak(dtype::f16, "f32"), 1000e3);  // exact products, summed in f32
    EXPECT_EQ(peak(dtype::bf16, "f32"), 990e3);
    EXPECT_EQ(peak(dtype::e4m3, "f32"), 1900e3);
    EXPECT_EQ(peak(dtype::e4m3, "fp8/14-bit (fast accumulation)"), 1900e3);
    EXPECT_EQ(peak(dtype::i8, "i32"), 2000e3);
    EXPECT_EQ(peak(dtype::i32, "i32"), 30e3);
}

TEST(gpu_roofline, a_unit_not_measured_is_never_replaced_by_a_slower_one) {
    EXPECT_FALSE(gpu::peak_gflops(limits(), dtype::f64, "something new"));
    machine::peaks old = limits();  // a GPU without a tensor core for f16 in the figures
    std::erase_if(old.compute, [](const auto& p) { return p.unit == "tensor f16"; });
    EXPECT_FALSE(gpu::peak_gflops(old, dtype::f16, "f32"));
    gpu::known_gpu same = test::planted_gpu();
    same.limits = old;
    const auto large = core::row_major_problem(dtype::f16, 9999, 9999, 9999);
    EXPECT_EQ(gpu::exceeded_limit(same, large, "f32", 0, 9e6), "");
    EXPECT_TRUE(gpu::peak_gflops(old, dtype::bf16, "f32"));
}

TEST(gpu_roofline, the_bound_is_compute_l2_or_hbm) {
    const gpu::known_gpu gpu = test::planted_gpu();
    // 1024^3 f32: 2^31 flop over 3 x 4 MiB, 170.7 flop a byte.
    const auto square = core::row_major_problem(dtype::f32, 1024, 1024, 1024);
    const auto plain = gpu::roofline(gpu, square, "f32", 40'000'000);
    ASSERT_TRUE(plain);
    EXPECT_EQ(plain->bound, "compute");
    EXPECT_EQ(plain->level, "L2");
    EXPECT_DOUBLE_EQ(plain->gflops, 60e3);

    // The f16 tensor cores would take 170.7 flop a byte at 5859 GB/s: more than L2 gives.
    const double intensity = 2.0 * 1024 * 1024 * 1024 / (3.0 * 4 * 1024 * 1024);
    const auto fast = gpu::roofline(gpu, square, "f16", 50'000'000);
    ASSERT_TRUE(fast);
    EXPECT_EQ(fast->bound, "L2");
    EXPECT_DOUBLE_EQ(fast->gflops, intensity * 5000);
    // Half of twice what L2 holds may stay there, so that L2 feeds the product; nine tenths of ten
    // times come from memory.
    const auto twice = gpu::roofline(gpu, square, "f16", 100'000'000);
    ASSERT_TRUE(twice);
    EXPECT_EQ(twice->bound, "L2");
    const auto far = gpu::roofline(gpu, square, "f16", 500'000'000);
    ASSERT_TRUE(far);
    EXPECT_EQ(far->bound, "HBM");
    EXPECT_DOUBLE_EQ(far->gflops, intensity * 4000 / 0.9);
}

TEST(gpu_roofline, nothing_measured_or_nothing_to_do_has_no_roof) {
    gpu::known_gpu gpu = test::planted_gpu();
    const auto square = core::row_major_problem(dtype::f32, 64, 64, 64);
    EXPECT_FALSE(gpu::roofline(gpu, core::row_major_problem(dtype::f32, 0, 4, 4), "f32", 1));
    EXPECT_FALSE(gpu::roofline(gpu, square, "f8", 1));
    gpu.limits.bandwidth.clear();
    EXPECT_FALSE(gpu::roofline(gpu, square, "f32", 1));
}

// A large square product of which so much is claimed; its memory would feed more.
std::string exceeded(const gpu::known_gpu& gpu, dtype type, std::string_view computes_in,
                     double gflops) {
    return gpu::exceeded_limit(gpu, core::row_major_problem(type, 9999, 9999, 9999), computes_in,
                               1'000'000'000, gflops);
}

TEST(gpu_roofline, more_than_two_percent_above_the_unit_is_impossible) {
    const gpu::known_gpu gpu = test::planted_gpu();
    EXPECT_EQ(exceeded(gpu, dtype::f32, "f32", 61.1e3), "");
    EXPECT_EQ(exceeded(gpu, dtype::f32, "f32", 61.3e3), "compute");
    // The same figure is ordinary for tf32 on the same data, and for f64 on dmma.
    EXPECT_EQ(exceeded(gpu, dtype::f32, "tf32", 61.3e3), "");
    EXPECT_EQ(exceeded(gpu, dtype::f64, "f64", 61.1e3), "");
    EXPECT_EQ(exceeded(gpu, dtype::f64, "f64", 61.3e3), "compute");
}

TEST(gpu_roofline, what_quiet_data_reach_is_possible) {
    gpu::known_gpu gpu = test::planted_gpu();
    for (auto& p : gpu.limits.compute)
        if (p.unit == "tensor f16") p.constant_input_gflops = 1100e3;
    EXPECT_EQ(exceeded(gpu, dtype::f16, "f32", 1120e3), "");
    EXPECT_EQ(exceeded(gpu, dtype::f16, "f32", 1130e3), "compute");
    EXPECT_EQ(gpu::peak_gflops(gpu.limits, dtype::f16, "f32"), 1000e3);  // the roof stays
}

// A matrix times a vector, hot in L2 and far beyond it.
TEST(gpu_roofline, more_than_memory_delivers_is_impossible_too) {
    const gpu::known_gpu gpu = test::planted_gpu();
    const auto thin = core::row_major_problem(dtype::f32, 2048, 1, 2048);
    const double intensity = machine::arithmetic_intensity(thin);
    const auto limit = [&](std::int64_t rotating_bytes, double gb_per_s) {
        return gpu::exceeded_limit(gpu, thin, "f32", rotating_bytes, intensity * gb_per_s);
    };
    EXPECT_EQ(limit(20'000'000, 5090), "");
    EXPECT_EQ(limit(20'000'000, 5110), "L2");
    EXPECT_EQ(limit(5'000'000'000, 4110), "");
    EXPECT_EQ(limit(5'000'000'000, 4130), "HBM");
}

}  // namespace
