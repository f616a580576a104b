#include "lab/model/prediction.hpp"

#include <gtest/gtest.h>

namespace carat::model {
namespace {

const std::vector<level> machine = {{"L1", 32 << 10, 400, 64},
                                    {"L2", 1 << 20, 100, 64},
                                    {"L3", 16 << 20, 40, 64},
                                    {"DRAM", 0, 10, 64}};
constexpr element_bytes f32 = {4, 4};

// Document 002's numbers: 358 flop a byte for ideal f32 2048^3 in its decimal MB, with C counted
// once; 0.25 for the naive loops, and 16 KiB tiles.
TEST(Tile, NumbersOfDocument002) {
    const sizes all{2048, 2048, 2048};
    EXPECT_DOUBLE_EQ(operations(all), 17179869184.0);
    EXPECT_NEAR(intensity({order::ijk, 0}, all, f32), 0.25, 1e-3);
    EXPECT_EQ(working_set_bytes({order::tiled_ijk, 64}, all, f32), 48 << 10);
    EXPECT_EQ(working_set_bytes({order::ijk, 0}, all, f32), 48 << 20);
    EXPECT_NEAR(ideal_intensity(all, f32), 2048 / 2.0 / 4, 1e-9);
    // Tiles of 64 are used 64 times, whatever N: the document has N / T = 32.
    EXPECT_EQ(reuse_of({order::tiled_ijk, 64}, all).a, 64);
    EXPECT_NEAR(intensity({order::tiled_ijk, 64}, all, f32), 64 / 4.0, 0.5);
}

TEST(Tile, LargerThanTheMatrixIsTheMatrix) {
    const schedule s{order::tiled_ijk, 1000};
    EXPECT_EQ(working_set_bytes(s, {10, 20, 30}, f32), 4 * (10 * 30 + 30 * 20 + 10 * 20));
    EXPECT_EQ(reuse_of(s, {10, 20, 30}).a, 20);
    EXPECT_EQ(reuse_of(s, {10, 20, 30}).b, 10);
    EXPECT_EQ(reuse_of(s, {10, 20, 30}).c, 30);
}

TEST(Level, SmallestThatHolds) {
    EXPECT_EQ(level_holding(machine, 1000).name, "L1");
    EXPECT_EQ(level_holding(machine, 32 << 10).name, "L1");
    EXPECT_EQ(level_holding(machine, (32 << 10) + 1).name, "L2");
    EXPECT_EQ(level_holding(machine, 1e12).name, "DRAM");
}

TEST(Prediction, IsTheSlowestLink) {
    const sizes all{1024, 1024, 1024};
    const prediction p = predict({order::tiled_ikj, 32}, all, f32, machine, 100);
    ASSERT_EQ(p.flows.size(), 4U);
    EXPECT_DOUBLE_EQ(p.compute_s, operations(all) / 100e9);
    double slowest = p.compute_s;
    for (const flow& f : p.flows) slowest = std::max(slowest, f.time_s);
    EXPECT_DOUBLE_EQ(p.time_s, slowest);
    EXPECT_DOUBLE_EQ(p.gflops, operations(all) / p.time_s / 1e9);
    // ikj loads B and C and stores C for every multiplication: 12 bytes of L1 for 2 flop.
    EXPECT_EQ(p.bound, "L1");
    EXPECT_NEAR(p.gflops, 400 / 6.0, 1);
    EXPECT_EQ(p.flows[1].kept, "three tiles");
}

TEST(Prediction, NaiveLoopsWaitForTheLevelThatHoldsNoColumn) {
    const prediction p = predict({order::ijk, 0}, {2048, 2048, 2048}, f32, machine, 100);
    EXPECT_EQ(p.bound, "L2");  // a column of B, 2048 lines, is four times L1: a line a product
    EXPECT_NEAR(p.flows[1].bytes, 68 * 2048.0 * 2048 * 2048, 1e9);  // and 4 for A
    EXPECT_EQ(p.flows[2].kept, "a row of A, a column of B");
}

TEST(Prediction, WithoutMeasurementsHasNoTime) {
    const prediction p = predict({order::ijk, 0}, {64, 64, 64}, f32, {{"L1", 32768, 0, 64}}, 0);
    EXPECT_EQ(p.time_s, 0);
    EXPECT_EQ(p.gflops, 0);
    EXPECT_TRUE(p.bound.empty());
}

TEST(Prediction, OfAPackedProductCountsBlocks) {
    const packed p{.mr = 24, .nr = 8, .mc = 480, .nc = 2400, .kc = 240};
    const sizes all{960, 4800, 480};
    const prediction found = predict(p, all, {8, 8}, machine, 100);
    const double c = 960.0 * 4800 * 8 * 3;  // written, read and written again
    const double a = 960.0 * 480 * 8 * 2;   // packed for each of two panels
    const double b = 480.0 * 4800 * 8;
    ASSERT_EQ(found.flows.size(), 4U);
    EXPECT_DOUBLE_EQ(found.flows[3].bytes, a + b + c);
    EXPECT_DOUBLE_EQ(found.flows[2].bytes, a + 2 * b + c);
    const double products = 960.0 * 4800 * 480;
    EXPECT_DOUBLE_EQ(found.flows[1].bytes, products / 8 * 8 + a + 2 * b + c);
    EXPECT_DOUBLE_EQ(found.flows[0].bytes, products / 8 * 8 + products / 24 * 8 + c);
    packed kept = p;
    kept.keeps_c = true;
    EXPECT_DOUBLE_EQ(predict(kept, all, {8, 8}, machine, 100).flows[3].bytes, a + b + c / 3);
    // Two rows take all of B, as 24 would, and one column all of A.
    const prediction thin = predict(p, {2, 1000, 32}, {8, 8}, machine, 100);
    EXPECT_DOUBLE_EQ(thin.flows[0].bytes, 8.0 * (2 * 32 * 125 + 32 * 1000 + 2 * 1000));
    const prediction one = predict(p, {1, 1, 1}, {8, 8}, machine, 100);
    EXPECT_DOUBLE_EQ(one.flows[0].bytes, 24);
    packed unpacked = p;
    unpacked.packs = false;
    EXPECT_DOUBLE_EQ(predict(unpacked, all, {8, 8}, machine, 100).flows[1].bytes,
                     found.flows[1].bytes - a);
}

}  // namespace
}  // namespace carat::model
