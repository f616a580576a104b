// Explanations of products on a machine with round numbers, from planted measurements.
#include <algorithm>
#include <gtest/gtest.h>

#include "lab/catalogue/catalogue.hpp"
#include "lab/explain/explanation.hpp"
#include "tests/machine/sample_machine.hpp"

namespace carat::explain {
namespace {

const machine::description sample = machine::sample_machine();
const machine::peaks limits = machine::sample_peaks();

results::result measured(const request::case_key& key, double median_s) {
    results::result c;
    c.implementation = "cpu.engine";
    c.device = "cpu";
    c.verified = true;
    c.median_s = median_s;
    c.trials_s = {median_s, median_s};
    c.median_gflops = 2e-9 * static_cast<double>(key.size.m * key.size.n * key.size.k) / median_s;
    return c;
}

explanation of(const request::case_key& key, double median_s) {
    const auto chosen = choose(lab::catalogue(), key, rows::device::cpu);
    return explain(key, chosen, {sample, limits}, {measured(key, median_s)});
}

bool advises(const explanation& told, const std::string& words) {
    return std::ranges::any_of(told.devices.front().advice, [&](const std::string& line) {
        return line.find(words) != std::string::npos;
    });
}

TEST(Levels, AreDividedAmongThreadsThatShareThem) {
    const auto one = levels_of({sample, limits}, 1);
    const auto four = levels_of({sample, limits}, 4);
    ASSERT_EQ(one.size(), 4U);
    EXPECT_EQ(one[0].name, "L1");
    EXPECT_EQ(one[0].capacity_bytes, 32 << 10);
    EXPECT_EQ(one[2].capacity_bytes, 8 << 20);
    EXPECT_EQ(one[3].name, "DRAM");
    EXPECT_EQ(one[3].gb_per_s, 10);
    EXPECT_EQ(four[0].capacity_bytes, 32 << 10);
    EXPECT_EQ(four[2].capacity_bytes, 2 << 20);
    EXPECT_EQ(four[2].gb_per_s, 120);
}

TEST(Explanation, ExpectsNoLessThanTheRoofline) {
    const request::case_key key{{500, 500, 500}, dtype::f64, 1, {}};
    const explanation told = of(key, 0.005);
    const device_report& d = told.devices.front();
    ASSERT_TRUE(d.roof.has_value());
    ASSERT_TRUE(d.predicted.has_value());
    EXPECT_EQ(d.peak_gflops, 100);
    EXPECT_EQ(d.roof->level, "L3");
    EXPECT_DOUBLE_EQ(told.flop, 2 * 500.0 * 500 * 500);
    EXPECT_GE(d.lower_bound_s, told.flop / 100e9);
    EXPECT_EQ(d.predicted->flows.size(), 3U);  // what lies in L3 moves over no link beyond it
    EXPECT_FALSE(d.plan.why.empty());
    EXPECT_EQ(d.measured.median_s, 0.005);
}

TEST(Explanation, OfAComputeBoundProductOffersANarrowerType) {
    const request::case_key key{{500, 500, 500}, dtype::f64, 1, {}};
    const explanation told = of(key, 2 * 0.5 * 0.5 * 0.5 / 99);  // 99 of 100 GFLOP/s
    EXPECT_TRUE(advises(told, "f32 multiplies up to 2.0 times as fast"));
    EXPECT_TRUE(advises(told, "1 of 4 cores"));
    EXPECT_TRUE(advises(told, "99 % of the bound"));
    EXPECT_FALSE(advises(told, "feeds it too slowly"));
}

TEST(Explanation, OfAFigureOfABusyMachineSaysNothingOfItsGap) {
    const request::case_key key{{500, 500, 500}, dtype::f64, 1, {}};
    results::result result = measured(key, 2 * 0.5 * 0.5 * 0.5 / 99);
    result.busy = "other work took 40 %";
    const explanation told =
        explain(key, choose(lab::catalogue(), key, rows::device::cpu), {sample, limits}, {result});
    EXPECT_FALSE(advises(told, "of the bound"));
    EXPECT_TRUE(advises(told, "f32 multiplies up to 2.0 times as fast"));
    EXPECT_EQ(to_json(told)["devices"][0]["measured"]["busy"], "other work took 40 %");
}

TEST(Explanation, OfASmallProductAsksForNoThreadsItWouldNotUse) {
    EXPECT_FALSE(advises(of({{8, 8, 8}, dtype::f64, 1, {}}, 1), "--threads"));
    EXPECT_TRUE(advises(of({{8, 8, 8}, dtype::f64, 2, {}}, 1), "too small for more than 1 of 2"));
}

TEST(Explanation, OfAThinProductNamesTheMemory) {
    const request::case_key key{{4000, 4000, 2}, dtype::f64, 1, {}};
    const explanation told = of(key, 0.1);
    EXPECT_EQ(told.devices.front().roof->level, "DRAM");
    EXPECT_TRUE(advises(told, "DRAM feeds it too slowly"));
    EXPECT_TRUE(advises(told, "a larger k (2, the smallest)"));
    EXPECT_TRUE(advises(told, "above the bound"));
}

// Planted, since what the model says of a product depends on the kernels of this machine.
TEST(Explanation, AdvisesByTheBoundThatTakesLonger) {
    explanation all = of({{500, 500, 500}, dtype::f64, 1, {}}, 1);
    device_report& d = all.devices.front();
    const auto advice_where = [&](double predicted_s, double lower_bound_s) {
        d.predicted.emplace();
        d.predicted->time_s = predicted_s;
        d.predicted->bound = "compute";
        d.roof = {.gflops = 10, .arithmetic_intensity = 1, .level = "L2", .bound = "L2"};
        d.lower_bound_s = lower_bound_s;
        d.advice = advice_for(d, all, {sample, limits});
    };
    advice_where(1, 2);
    EXPECT_TRUE(advises(all, "L2 feeds it too slowly"));
    EXPECT_FALSE(advises(all, "f32 multiplies"));
    advice_where(2, 2);
    EXPECT_FALSE(advises(all, "feeds it too slowly"));
    EXPECT_TRUE(advises(all, "f32 multiplies"));
}

TEST(Explanation, SeesRowsThatCompete) {
    EXPECT_TRUE(advises(of({{512, 512, 512}, dtype::f64, 1, {}}, 1), "dimension of 520"));
    EXPECT_FALSE(advises(of({{512, 500, 512}, dtype::f64, 1, {}}, 1), "compete"));
    EXPECT_FALSE(advises(of({{512, 32, 512}, dtype::f64, 1, {}}, 1), "compete"));
}

TEST(Geometries, AreTheMachinesOwn) {
    const auto caches = geometries_of(sample);
    ASSERT_EQ(caches.size(), 3U);
    EXPECT_EQ(caches[0].size_bytes, 32 << 10);
    EXPECT_EQ(caches[2].ways, 16);
    machine::description odd = sample;
    odd.caches[0].ways = 0;  // fully associative, or unknown
    EXPECT_EQ(geometries_of(odd).size(), 2U);
    EXPECT_TRUE(geometries_of({}).empty());
}

TEST(Explanation, CountsPaddedSums) {
    EXPECT_TRUE(advises(of({{9, 25, 401}, dtype::f64, 1, {}}, 1), "padding"));
}

TEST(Explanation, LoopsMoveLessWhenTheyAreTiled) {
    const explanation told = of({{2000, 2000, 2000}, dtype::f64, 1, {}}, 1);
    ASSERT_EQ(told.loops.size(), 4U);
    EXPECT_LT(told.loops[0].intensity, told.loops[2].intensity);
    EXPECT_LT(told.loops[2].intensity, told.loops[3].intensity);
    EXPECT_GT(told.loops[0].predicted.time_s, told.loops[2].predicted.time_s);
    EXPECT_TRUE(of({{64, 64, 64}, dtype::i8, 1, {}}, 1).loops.empty());
}

// What lies in a cache comes from there: at best no line of it is read from beyond.
TEST(Explanation, LoopsFindTheirOperandsWhereTheyLie) {
    const explanation small = of({{100, 100, 100}, dtype::f64, 1, {}}, 1);  // 240 kB: L2
    for (const loop_nest& l : small.loops) {
        ASSERT_EQ(l.predicted.flows.size(), 2U);
        EXPECT_EQ(l.predicted.flows.back().from, "L2");
    }
    for (const loop_nest& l : of({{500, 500, 2}, dtype::f64, 1, {}}, 1).loops)
        EXPECT_NE(l.predicted.bound, "DRAM");
    for (const loop_nest& l : of({{2000, 2000, 2}, dtype::f64, 1, {}}, 1).loops)
        EXPECT_EQ(l.predicted.flows.back().from, "DRAM");
}

TEST(Explanation, SaysWhyNothingRuns) {
    const request::case_key key{{64, 64, 64}, dtype::e4m3, 1, {}};
    const auto chosen = choose(lab::catalogue(), key, rows::device::cpu);
    ASSERT_EQ(chosen.size(), 1U);
    EXPECT_EQ(chosen.front().entry, nullptr);
    EXPECT_FALSE(chosen.front().rejected.front().reason.empty());
    const explanation told = explain(key, chosen, {sample, limits}, {});
    EXPECT_EQ(to_json(told)["devices"][0]["implementation"], "");
}

TEST(Explanation, WithoutPeaksHasNoExpectation) {
    const request::case_key key{{64, 64, 64}, dtype::f64, 1, {}};
    const auto chosen = choose(lab::catalogue(), key, rows::device::cpu);
    const explanation told = explain(key, chosen, {sample, {}}, {});
    EXPECT_EQ(told.devices.front().lower_bound_s, 0);
    EXPECT_FALSE(told.devices.front().advice.empty());
    EXPECT_TRUE(to_json(told)["devices"][0]["expected_s"].is_null());
}

}  // namespace
}  // namespace carat::explain
