#include "lab/model/cache_simulator.hpp"

#include <gtest/gtest.h>

#include <carat/error.hpp>

namespace carat::model {
namespace {

// 4 lines of 16 bytes in 2 sets: lines 0, 2, 4 ... share the first.
TEST(Cache, ForgetsTheLineUnusedForLongestInItsSet) {
    cache two_ways({64, 16, 2});
    EXPECT_FALSE(two_ways.access(0));
    EXPECT_FALSE(two_ways.access(32));
    EXPECT_FALSE(two_ways.access(16));  // the other set
    EXPECT_TRUE(two_ways.access(15));
    EXPECT_FALSE(two_ways.access(64));  // line 4 in place of line 2
    EXPECT_TRUE(two_ways.access(0));
    EXPECT_FALSE(two_ways.access(32));
    EXPECT_TRUE(two_ways.access(16));
}

TEST(Cache, RefusesAGeometryThatGivesNoSets) {
    for (const geometry& bad : {geometry{0, 64, 8},
                                {4096, 0, 8},
                                {4096, 64, -1},
                                {64, 64, 2},
                                {64 * 7, 64, 2},
                                {4096, -64, 8}})
        EXPECT_THROW(cache{bad}, error);
    EXPECT_NO_THROW((cache{{105 << 20, 64, 15}}));  // sets need not be a power of two
}

// What the second level misses it was asked for by the first, and each line comes at least once.
TEST(Simulation, LevelsAreAskedInTurn) {
    const sizes all{40, 40, 40};
    const simulation s =
        simulate({order::ijk, 0}, all, {}, {{1024, 64, 4}, {8192, 64, 8}, {1 << 20, 64, 16}});
    EXPECT_EQ(s.accesses.total(), 2 * 40 * 40 * 40 + 2 * 40 * 40);
    EXPECT_GT(s.misses[0].total(), s.misses[1].total());
    EXPECT_GT(s.misses[1].total(), s.misses[2].total());
    EXPECT_EQ(s.misses[2].total(), 3 * 40 * 40 / 8);
}

TEST(Simulation, RefusesOverlappingRows) {
    EXPECT_THROW((void)simulate({order::ijk, 0}, {8, 8, 8}, {.b_stride = 7}, {}), error);
}

std::int64_t misses_of_b(std::int64_t stride) {
    return simulate(
               {order::tiled_ikj, 32}, {64, 64, 64},
               {.element_bytes = 8, .a_stride = stride, .b_stride = stride, .c_stride = stride},
               {{48 << 10, 64, 12}})
        .misses.front()
        .b;
}

// Rows 4096 bytes apart begin in the same set: a tile of 32 rows then has 12 ways in 4 of 64 sets,
// although three tiles take half of the cache. One line more between rows, and it fits.
TEST(Simulation, PowerOfTwoStridesConflict) {
    const std::int64_t compulsory = 2 * 64 * 64 / 8;  // B comes once for each row of tiles
    EXPECT_LE(misses_of_b(520), 2 * compulsory);
    EXPECT_GE(misses_of_b(512), 10 * misses_of_b(520));
    EXPECT_GE(misses_of_b(1024), 10 * misses_of_b(1032));
    EXPECT_LE(misses_of_b(500), 2 * compulsory);
}

// A fully associative cache of the same size has no such sets, so the spike is conflicts alone.
TEST(Simulation, TheSpikeIsNotOneOfCapacity) {
    const schedule s{order::tiled_ikj, 32};
    const placement aligned{.element_bytes = 8, .a_stride = 512, .b_stride = 512, .c_stride = 512};
    const auto misses = [&](int ways) {
        return simulate(s, {64, 64, 64}, aligned, {{48 << 10, 64, ways}}).misses.front().total();
    };
    EXPECT_GE(misses(12), 5 * misses(0));
}

}  // namespace
}  // namespace carat::model
