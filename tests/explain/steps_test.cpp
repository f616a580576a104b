// What binds the steps of the ladder: every step has its counts, and counts become limits by
// arithmetic that can be checked by hand.
#include "lab/explain/steps.hpp"

#include <gtest/gtest.h>
#include <set>

#include "lab/catalogue/catalogue.hpp"

namespace carat::explain {
namespace {

TEST(Steps, OfTheCatalogueAllHaveCounts) {
    std::set<std::string_view> counted;
    for (const gpu_step& s : gpu_steps()) counted.insert(s.implementation);
    for (const cpu_step& s : cpu_steps()) counted.insert(s.implementation);
    EXPECT_EQ(counted.size(), gpu_steps().size() + cpu_steps().size());
    int steps = 0;
    for (const rows::implementation* entry : lab::catalogue().entries()) {
        if (entry->name.find(".ladder.") == std::string_view::npos) continue;
        EXPECT_TRUE(counted.contains(entry->name)) << entry->name;
        ++steps;
    }
    EXPECT_GE(steps, 15);
}

TEST(Steps, AreMeantByTheirTails) {
    EXPECT_EQ(step_named("ladder.wgmma", false), "cuda.ladder.wgmma");
    EXPECT_EQ(step_named("wgmma", false), "cuda.ladder.wgmma");
    EXPECT_EQ(step_named("tiled", false), "cpu.ladder.tiled");
    EXPECT_EQ(step_named("tiled", true), "cuda.ladder.tiled");
    EXPECT_EQ(step_named("packing", true), "cpu.ladder.packing");
    EXPECT_EQ(step_named("gmma", false), "");
    EXPECT_EQ(step_named("", false), "");
}

// 100 SMs at 1 GHz whose unit does 1000 operations a cycle.
const sm_rates plain{"a GPU", 100, 1, 100e3};

gpu_step sample_step() {
    return {.implementation = "cuda.ladder.sample",
            .counted_for = "f32",
            .unit = "ffma",
            .tile_m = 100,
            .tile_n = 100,
            .tile_k = 10};  // 200000 operations: 200 cycles
}

TEST(Limits, OfAStepThatAsksForLittleAreItsUnits) {
    const step_limits told = limits_of(sample_step(), {1000, 1000, 1000}, plain);
    EXPECT_EQ(told.binding, "the rate of its unit");
    EXPECT_DOUBLE_EQ(told.gflops, 100e3);
}

TEST(Limits, OfAStepAreWhatTakesLongest) {
    gpu_step s = sample_step();
    s.instructions = 1600;  // 400 cycles
    s.wavefronts = 300;
    step_limits told = limits_of(s, {1000, 1000, 1000}, plain);
    EXPECT_EQ(told.binding, "instruction issue");
    EXPECT_DOUBLE_EQ(told.gflops, 50e3);
    s.wavefronts = 800;
    told = limits_of(s, {1000, 1000, 1000}, plain);
    EXPECT_EQ(told.binding, "shared memory and L1");
    EXPECT_DOUBLE_EQ(told.gflops, 25e3);
}

TEST(Limits, SayWhichFiguresAreEstimates) {
    gpu_step s = sample_step();
    s.instructions = 800;
    s.waits = s.ends = 100;
    const auto counted = [&](std::string_view what) {
        for (const ceiling& c : limits_of(s, {1000, 1000, 1000}, plain).ceilings)
            if (c.what == what) return c.counted;
        return std::string("nothing");
    };
    EXPECT_EQ(counted("instruction issue"), "800 instructions, 4 a cycle");
    EXPECT_EQ(counted("waiting for copies"), "about 100 cycles a step, CTAs: 1");
    EXPECT_EQ(counted("begin and end of a tile"), "about 100 cycles beside 100 steps");
    s.estimated = true;
    EXPECT_EQ(counted("instruction issue"), "about 800 instructions, 4 a cycle");
    EXPECT_EQ(counted("shared memory and L1"), "about 0 x 128 bytes, 1 a cycle");
}

TEST(Limits, CountWaitsThatNoOtherCtaHides) {
    gpu_step s = sample_step();
    s.waits = 200;
    EXPECT_DOUBLE_EQ(limits_of(s, {1000, 1000, 1000}, plain).gflops, 50e3);
    EXPECT_EQ(limits_of(s, {1000, 1000, 1000}, plain).binding, "waiting for copies");
    s.ctas = 2;
    EXPECT_DOUBLE_EQ(limits_of(s, {2000, 1000, 1000}, plain).gflops, 100e3);
}

TEST(Limits, CountRoundsAndEnds) {
    gpu_step s = sample_step();
    step_limits told = limits_of(s, {1000, 1100, 1000}, plain);  // 110 tiles: 1.1 of 2 rounds
    EXPECT_DOUBLE_EQ(told.gflops, 55e3);
    EXPECT_EQ(told.binding, "a last round, partly empty");
    s.in_rounds = false;
    EXPECT_DOUBLE_EQ(limits_of(s, {1000, 1100, 1000}, plain).gflops, 100e3);
    s.ends = 20000;  // as long as 100 steps of 200 cycles
    told = limits_of(s, {1000, 1000, 1000}, plain);
    EXPECT_DOUBLE_EQ(told.gflops, 50e3);
    EXPECT_EQ(told.binding, "begin and end of a tile");
}

TEST(Limits, OfAnInstructionThatReachesLessThanItsUnit) {
    gpu_step s = sample_step();
    s.unit_share = 0.5;
    s.ends = 8000;  // a factor of 1.2, which is less than what the instruction loses
    const step_limits told = limits_of(s, {1000, 1000, 1000}, plain);
    EXPECT_EQ(told.binding, "what mma.sync reaches");
    EXPECT_DOUBLE_EQ(told.gflops, 50e3 / 1.2);
}

TEST(Limits, OfACpuStepAreItsPortsOrItsMemory) {
    const cpu_step chained{"cpu.ladder.sample", -1, 2, "a chain", model::order::ijk, false, ""};
    const std::vector<model::level> levels = {
        {"L1", 32e3, 400, 64}, {"L2", 64e3, 200, 64}, {"DRAM", 0, 10, 64}};
    // A double of 512 bits, and four times as long as half a cycle: 1/32 of the peak.
    step_limits told = limits_of(chained, {20, 20, 20}, {8, 8}, 64, 512, levels);
    EXPECT_DOUBLE_EQ(told.gflops, 2);
    EXPECT_EQ(told.binding, "a chain");
    told = limits_of(chained, {2000, 2000, 2000}, {8, 8}, 64, 512, levels);
    EXPECT_LT(told.gflops, 2);
    EXPECT_EQ(told.binding, "bytes from DRAM");
    const cpu_step wide{"cpu.ladder.sample", 0, 0.5, "units", std::nullopt, false, ""};
    EXPECT_DOUBLE_EQ(limits_of(wide, {20, 20, 20}, {8, 8}, 64, 512, levels).gflops, 64);
}

TEST(Limits, OfTheGpusLadderRiseFromStepToStep) {
    const sm_rates h200{"H200", 132, 1.98, 0};
    double before = 0;
    for (const gpu_step& s : gpu_steps()) {
        if (s.unit != "tensor bf16") continue;
        sm_rates here = h200;
        here.unit_gflops = 989e3;
        const step_limits told = limits_of(s, {4096, 4096, 4096}, here);
        EXPECT_GE(told.gflops, before) << s.implementation;
        EXPECT_EQ(told.next.empty(), s.implementation == "cuda.ladder.stream_k");
        before = told.gflops;
    }
}

}  // namespace
}  // namespace carat::explain
