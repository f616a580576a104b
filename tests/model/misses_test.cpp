// The closed forms against the simulator: on every flat part, for every operand, to the line.
#include "lab/model/misses.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <string>

#include "lab/model/cache_simulator.hpp"

namespace carat::model {
namespace {

struct trial {
    schedule s;
    sizes all;
    int line = 1;  // elements
};

operand_counts simulated(const trial& t, double lines) {
    const geometry fully{static_cast<std::int64_t>(lines) * t.line * 8, t.line * 8, 0};
    return simulate(t.s, t.all, {}, {fully}).misses.front();
}

void expect_equal(const trial& t, const plateau& step, double lines) {
    const operand_counts found = simulated(t, lines);
    const std::string where = std::string(name(t.s.how)) + " tile " + std::to_string(t.s.tile) +
                              " of " + std::to_string(t.all.m) + "x" + std::to_string(t.all.n) +
                              "x" + std::to_string(t.all.k) + ", line " + std::to_string(t.line) +
                              ", cache of " + std::to_string(lines) + " lines, " +
                              std::string(step.holds);
    EXPECT_EQ(static_cast<double>(found.a), step.misses.a) << "A: " << where;
    EXPECT_EQ(static_cast<double>(found.b), step.misses.b) << "B: " << where;
    EXPECT_EQ(static_cast<double>(found.c), step.misses.c) << "C: " << where;
}

// Checks both ends and the middle of every flat part; returns how many parts there were.
int check(const trial& t) {
    int checked = 0;
    const double line = t.line;
    for (const plateau& step : plateaus(t.s, t.all, {line, line})) {
        const double last = std::isinf(step.to_lines) ? step.from_lines + 8 : step.to_lines - 1;
        if (last < step.from_lines) continue;
        ++checked;
        for (const double lines : {step.from_lines, std::floor((step.from_lines + last) / 2), last})
            expect_equal(t, step, lines);
    }
    return checked;
}

TEST(Misses, OfUntiledLoopsAreExact) {
    int parts = 0;
    for (const order how : {order::ijk, order::ikj})
        for (const sizes& all : {sizes{8, 16, 24}, {16, 16, 16}, {5, 32, 8}, {24, 8, 40}})
            for (const int line : {1, 2, 4, 8}) parts += check({{how, 0}, all, line});
    EXPECT_GE(parts, 90);  // of 2 orders, 4 shapes, 4 lines and 3 parts each
}

TEST(Misses, OfTiledLoopsAreExact) {
    int parts = 0;
    for (const order how : {order::tiled_ijk, order::tiled_ikj})
        for (const std::int64_t tile : {4, 8})
            for (const sizes& all : {sizes{24, 24, 24}, {16, 32, 48}, {8, 8, 8}, {16, 8, 32}})
                for (const int line : {1, 2, 4}) parts += check({{how, tile}, all, line});
    EXPECT_GE(parts, 240);
}

// The reason for tiles: with T x T tiles in the cache, A and B come T times less often.
TEST(Misses, FallByTheTile) {
    const sizes all{1024, 1024, 1024};
    const line_length line{8, 8};
    const plateau row = misses_at({order::ikj, 0}, all, line, 512);
    const plateau tiled = misses_at({order::tiled_ikj, 32}, all, line, 1024);
    EXPECT_EQ(row.holds, "a row of B, a row of C");
    EXPECT_EQ(tiled.holds, "three tiles");
    EXPECT_EQ(row.misses.b / tiled.misses.b, 32);
    EXPECT_EQ(tiled.misses.a, 1024.0 * 1024 * 32 / 8);  // N / T times all of A
}

// A larger cache never misses more, whatever the sizes.
TEST(Misses, NeverGrowWithTheCache) {
    for (const order how : all_orders) {
        for (const sizes& all : {sizes{100, 70, 33}, {7, 500, 9}, {1, 1, 1}}) {
            double before = INFINITY;
            for (double lines = 1; lines < 1e6; lines *= 2) {
                const double now = misses_at({how, 24}, all, {8, 8}, lines).misses.total();
                EXPECT_LE(now, before);
                before = now;
            }
        }
    }
}

TEST(Misses, AccessesAreWhatTheLoopsDo) {
    for (const order how : all_orders) {
        const schedule s{how, 6};
        const sizes all{13, 17, 20};  // ragged tiles
        const operand_counts counted = simulate(s, all, {}, {}).accesses;
        const access_counts formula = accesses(s, all);
        EXPECT_EQ(static_cast<double>(counted.a), formula.a) << name(how);
        EXPECT_EQ(static_cast<double>(counted.b), formula.b) << name(how);
        EXPECT_EQ(static_cast<double>(counted.c), formula.c_loads + formula.c_stores) << name(how);
    }
}

}  // namespace
}  // namespace carat::model
