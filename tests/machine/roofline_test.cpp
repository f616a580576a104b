// The roofline compared with numbers computed by hand from the sample machine.
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

std::optional<roof> roof_of(std::int64_t m, std::int64_t n, std::int64_t k, int threads,
                            std::int64_t rotating_bytes = 0) {
    return roofline(sample_peaks(), row_major_problem(dtype::f64, m, n, k), threads, isa::avx512,
                    rotating_bytes);
}

TEST(roofline, small_product_in_l1_is_bound_by_its_bandwidth) {
    // n = 4: 128 flop over 384 bytes; 1/3 x 400 GB/s is above the peak of 100.
    const auto small = roof_of(4, 4, 4, 1);
    ASSERT_TRUE(small);
    EXPECT_EQ(small->level, "L1");
    EXPECT_EQ(small->bound, "compute");
    EXPECT_DOUBLE_EQ(small->gflops, 100);

    // A dot product of 1000: 2000 flop over 16008 bytes at 400 GB/s.
    const auto dot = roof_of(1, 1, 1000, 1);
    ASSERT_TRUE(dot);
    EXPECT_EQ(dot->bound, "L1");
    EXPECT_DOUBLE_EQ(dot->gflops, 400 * 2000.0 / 16008);
}

// Half of a set twice as large as L2 may stay there: 1/2 at 40 GB/s takes longer than all at 200.
TEST(roofline, what_does_not_fit_comes_from_the_next_level) {
    const double bytes = 2 * 524288;
    const auto of_set = [](double set_bytes, int threads) {
        const auto roof = roof_of(1, 1, 1000, threads, static_cast<std::int64_t>(set_bytes));
        return std::pair(roof->level, roof->gflops / roof->arithmetic_intensity);
    };
    EXPECT_EQ(of_set(bytes, 1).first, "L3");
    EXPECT_DOUBLE_EQ(of_set(bytes, 1).second, 40 / 0.5);
    // Slightly more than L2 holds is not yet limited by the memory beyond.
    EXPECT_EQ(of_set(1.05 * 524288, 1).first, "L2");
    EXPECT_GT(of_set(1.05 * 524288, 1).second, 200);
    // Two threads have two of L2, and at most twice what one reads.
    EXPECT_EQ(of_set(bytes, 2).first, "L2");
    EXPECT_DOUBLE_EQ(of_set(4 * bytes, 2).second, 80 / 0.75);
    // Four have a quarter of L3 each, measured with four.
    EXPECT_EQ(of_set(64 << 20, 4).first, "DRAM");
    EXPECT_DOUBLE_EQ(of_set(64 << 20, 4).second, 25 / (1 - 8.0 / 64));
}

// Sets only get slower as they grow, and a product no faster.
TEST(roofline, falls_with_the_size_of_the_set) {
    for (const int threads : {1, 2, 3, 4, 64}) {
        double last = 1e300;
        for (double bytes = 1000; bytes < 1e10; bytes *= 1.1) {
            const double now =
                roof_of(1, 1, 1000, threads, static_cast<std::int64_t>(bytes))->gflops;
            EXPECT_LE(now, last * (1 + 1e-12)) << bytes;
            last = now;
        }
    }
}

TEST(roofline, large_skinny_product_is_bound_by_dram) {
    // 4096 x 4096 matrix times a vector: 2 x 4096^2 flop, 8 (4096^2 + 2 x 4096) bytes, 10 GB/s for
    // all but the 8 MiB that L3 may keep.
    const double bytes = 8 * (4096.0 * 4096 + 2 * 4096);
    const auto one = roof_of(4096, 1, 4096, 1);
    ASSERT_TRUE(one);
    EXPECT_EQ(one->bound, "DRAM");
    EXPECT_NEAR(one->gflops, 10 / (1 - 8388608 / bytes) * 2 * 4096.0 * 4096 / bytes, 1e-12);
    EXPECT_NEAR(roof_of(4096, 1, 4096, 4)->gflops, 2.5 * one->gflops, 1e-12);
    // Nothing is kept if many sets are rotated.
    EXPECT_LT(roof_of(4096, 1, 4096, 1, std::int64_t{1} << 40)->gflops, one->gflops);
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

    EXPECT_EQ(roofline(limits, row_major_problem(dtype::f64, 100, 100, 100), 1, isa::avx2)->gflops,
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
    const auto square = row_major_problem(dtype::f64, 64, 64, 64);
    EXPECT_FALSE(roofline(limits, row_major_problem(dtype::i8, 64, 64, 64), 1, isa::avx512));
    EXPECT_FALSE(roof_of(64, 64, 0, 1));
    EXPECT_FALSE(roofline({}, square, 1, isa::avx512));
    peaks no_curve = limits;
    no_curve.reading.clear();
    EXPECT_FALSE(roofline(no_curve, square, 1, isa::avx512));
}

TEST(exceeded_limit, begins_two_percent_above_the_best_unit) {
    const auto of_type = [](dtype type, int threads, double gflops) {
        return exceeded_limit(sample_peaks(), row_major_problem(type, 999, 999, 999), threads, 0,
                              gflops);
    };
    EXPECT_EQ(of_type(dtype::f64, 1, 101.9), "");
    EXPECT_EQ(of_type(dtype::f64, 1, 102.1), "compute");
    EXPECT_EQ(of_type(dtype::f64, 2, 203.9), "");
    EXPECT_EQ(of_type(dtype::f64, 2, 204.1), "compute");
    EXPECT_EQ(of_type(dtype::f64, 4, 367.3), "compute");
    EXPECT_EQ(exceeded_limit({}, row_major_problem(dtype::i8, 9, 9, 9), 1, 0, 1e9), "");
}

// A row times a matrix, which the units could do ten times as fast.
TEST(exceeded_limit, is_that_of_memory_where_it_feeds_less) {
    const auto row = row_major_problem(dtype::f64, 1, 4096, 4096);
    const double dram = roofline(sample_peaks(), row, 1, isa::avx512)->gflops;
    EXPECT_LT(dram, 3);
    EXPECT_EQ(exceeded_limit(sample_peaks(), row, 1, 0, 1.019 * dram), "");
    EXPECT_EQ(exceeded_limit(sample_peaks(), row, 1, 0, 1.021 * dram), "DRAM");
    EXPECT_EQ(exceeded_limit(sample_peaks(), row, 4, 0, 1.021 * dram), "");
    // Sets in turn leave less in caches than one.
    EXPECT_EQ(exceeded_limit(sample_peaks(), row, 1, std::int64_t{1} << 40, 1.019 * dram), "DRAM");
}

}  // namespace
}  // namespace carat::machine
