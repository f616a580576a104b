// The roofline against numbers worked out by hand from the sample machine.
#include "lab/machine/roofline.hpp"

#include <gtest/gtest.h>

#include "tests/machine/sample_machine.hpp"

namespace carat::machine {
namespace {

using core::isa;
using core::row_major_problem;

TEST(roofline, intensity_counts_compulsory_bytes) {
    core::problem p = row_major_problem(dtype::f64, 100, 200, 50);
    // A 5000, B 10000, C 20000 elements of 8 bytes; 2 x 100 x 200 x 50 operations.
    EXPECT_DOUBLE_EQ(compulsory_bytes(p), 280000);
    EXPECT_DOUBLE_EQ(arithmetic_intensity(p), 2e6 / 280000);
    p.beta = 0.5;  // C is read as well
    EXPECT_DOUBLE_EQ(compulsory_bytes(p), 440000);
    p.a_type = p.b_type = dtype::i8;
    p.c_type = dtype::i32;
    p.beta = 0;
    EXPECT_DOUBLE_EQ(compulsory_bytes(p), 15000 + 80000);
    EXPECT_EQ(arithmetic_intensity(row_major_problem(dtype::f64, 0, 5, 5)), 0);
}

TEST(roofline, small_product_in_l1_is_bound_by_its_bandwidth) {
    // n = 4: 128 flop over 384 bytes; 1/3 x 400 GB/s is above the peak of 100.
    const auto small =
        roofline(sample_machine(), sample_peaks(), row_major_problem(dtype::f64, 4, 4, 4), 1);
    ASSERT_TRUE(small);
    EXPECT_EQ(small->level, "L1");
    EXPECT_EQ(small->bound, "compute");
    EXPECT_DOUBLE_EQ(small->gflops, 100);

    // A dot product of 1000: 2000 flop over 16008 bytes at 400 GB/s.
    const auto dot =
        roofline(sample_machine(), sample_peaks(), row_major_problem(dtype::f64, 1, 1, 1000), 1);
    ASSERT_TRUE(dot);
    EXPECT_EQ(dot->bound, "L1");
    EXPECT_DOUBLE_EQ(dot->gflops, 400 * 2000.0 / 16008);
}

TEST(roofline, level_is_the_smallest_that_holds_all_three_matrices) {
    const auto level = [](std::int64_t n, int threads) {
        return roofline(sample_machine(), sample_peaks(), row_major_problem(dtype::f64, n, n, n),
                        threads)
            ->level;
    };
    EXPECT_EQ(level(36, 1), "L1");   // 31104 of 32768 bytes
    EXPECT_EQ(level(37, 1), "L2");   // 32856
    EXPECT_EQ(level(147, 1), "L2");  // 518616 of 524288
    EXPECT_EQ(level(148, 1), "L3");  // 525696
    EXPECT_EQ(level(591, 1), "L3");  // 8382744 of 8388608
    EXPECT_EQ(level(592, 1), "DRAM");
    // Four cores bring four private caches, but there is one L3.
    EXPECT_EQ(level(73, 4), "L1");  // 127896 of 131072
    EXPECT_EQ(level(148, 4), "L2");
    EXPECT_EQ(level(592, 4), "DRAM");
    EXPECT_EQ(level(73, 400), "L1");
    EXPECT_EQ(level(74, 400), "L2");
}

// Six cores of which four share an L3: the other two have one as well.
TEST(roofline, a_cache_that_fewer_cores_share_counts_too) {
    description machine = sample_machine();
    machine.cores = 6;
    machine.hardware_threads = 12;
    const core::problem p = row_major_problem(dtype::f64, 592, 592, 592);  // a little over 8 MiB
    EXPECT_EQ(roofline(machine, sample_peaks(), p, 6)->level, "L3");
    EXPECT_EQ(roofline(machine, sample_peaks(), p, 1)->level, "DRAM");
    // Eight cores of two threads and sixteen of one share the only L3.
    machine.cores = 24;
    machine.hardware_threads = machine.caches[3].shared_by = 32;
    EXPECT_EQ(roofline(machine, sample_peaks(), p, 24)->level, "DRAM");
}

TEST(roofline, large_skinny_product_is_bound_by_dram) {
    // 4096 x 4096 matrix times a vector: 2 x 4096^2 flop, 8 (4096^2 + 2 x 4096) bytes, 10 GB/s.
    const auto one =
        roofline(sample_machine(), sample_peaks(), row_major_problem(dtype::f64, 4096, 1, 4096), 1);
    ASSERT_TRUE(one);
    EXPECT_EQ(one->bound, "DRAM");
    EXPECT_NEAR(one->gflops, 10 * 2 * 4096.0 * 4096 / (8 * (4096.0 * 4096 + 2 * 4096)), 1e-12);
    const auto all =
        roofline(sample_machine(), sample_peaks(), row_major_problem(dtype::f64, 4096, 1, 4096), 4);
    EXPECT_NEAR(all->gflops, 2.5 * one->gflops, 1e-12);
}

TEST(roofline, peak_follows_threads_and_isa) {
    const peaks limits = sample_peaks();
    EXPECT_EQ(peak_gflops(limits, dtype::f64, 1, isa::avx512), 100);
    EXPECT_EQ(peak_gflops(limits, dtype::f64, 2, isa::avx512), 200);
    EXPECT_EQ(peak_gflops(limits, dtype::f64, 3, isa::avx512), 300);
    EXPECT_EQ(peak_gflops(limits, dtype::f64, 4, isa::avx512), 360);
    EXPECT_EQ(peak_gflops(limits, dtype::f64, 64, isa::avx512), 360);
    EXPECT_EQ(peak_gflops(limits, dtype::f64, 1, isa::avx2), 50);
    EXPECT_EQ(peak_gflops(limits, dtype::f64, 4, isa::avx2), 180);
    EXPECT_FALSE(peak_gflops(limits, dtype::f64, 1, isa::baseline));

    description forced = sample_machine();
    forced.isa_in_use = isa::avx2;
    EXPECT_EQ(roofline(forced, limits, row_major_problem(dtype::f64, 100, 100, 100), 1)->gflops,
              50);
}

TEST(roofline, narrow_floats_may_use_the_f32_unit) {
    const peaks limits = sample_peaks();
    EXPECT_EQ(peak_gflops(limits, dtype::bf16, 1, isa::avx512), 200);  // above its own unit's 90
    EXPECT_EQ(peak_gflops(limits, dtype::f16, 1, isa::avx512), 200);
    EXPECT_EQ(peak_gflops(limits, dtype::i32, 1, isa::avx512), 80);
}

TEST(roofline, is_absent_where_nothing_was_measured) {
    const peaks limits = sample_peaks();
    EXPECT_FALSE(peak_gflops(limits, dtype::i8, 1, isa::avx512));
    EXPECT_FALSE(roofline(sample_machine(), limits, row_major_problem(dtype::i8, 64, 64, 64), 1));
    EXPECT_FALSE(roofline(sample_machine(), limits, row_major_problem(dtype::f64, 64, 64, 0), 1));
    EXPECT_FALSE(roofline(sample_machine(), {}, row_major_problem(dtype::f64, 64, 64, 64), 1));
    peaks no_dram = limits;
    std::erase_if(no_dram.bandwidth, [](const auto& p) { return p.level == "DRAM"; });
    EXPECT_FALSE(
        roofline(sample_machine(), no_dram, row_major_problem(dtype::f64, 999, 999, 999), 1));
}

TEST(above_peak, begins_two_percent_above_the_best_unit) {
    const peaks limits = sample_peaks();
    EXPECT_FALSE(above_peak(limits, dtype::f64, 1, 101.9));
    EXPECT_TRUE(above_peak(limits, dtype::f64, 1, 102.1));
    EXPECT_FALSE(above_peak(limits, dtype::f64, 2, 203.9));
    EXPECT_TRUE(above_peak(limits, dtype::f64, 2, 204.1));
    EXPECT_TRUE(above_peak(limits, dtype::f64, 4, 367.3));
    EXPECT_FALSE(above_peak(limits, dtype::i8, 1, 1e9));  // nothing to judge by
}

}  // namespace
}  // namespace carat::machine
