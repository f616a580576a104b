// A plan's prediction compared with measurements, and sets of products, for planted figures.
#include "lab/explain/foretold.hpp"

#include <gtest/gtest.h>
#include <regex>
#include <string>

#include "cli/explain_text.hpp"
#include "lab/explain/explanation.hpp"

namespace carat::explain {
namespace {

core::gpu_prediction planted() {
    core::gpu_prediction told;
    told.kind = "cooperative";
    told.tiles = 512;
    told.at_once = 132;
    told.waves = 512.0 / 132;
    told.idle_share = 0.03;
    told.memory_bytes = 64 << 20;
    told.l2_bytes = 1 << 30;
    told.stored_bytes = 1 << 20;
    told.parts = {{"tensor cores", 160e-6, true}, {"launch", 3e-6, false}};
    told.time_s = 170e-6;
    told.low_s = 150e-6;
    told.high_s = 190e-6;
    return told;
}

results::result measured(double median_s) {
    results::result c;
    c.implementation = "cuda.engine";
    c.device = "cuda";
    c.verified = true;
    c.verification = "exact";
    c.median_s = median_s;
    c.trials_s = {0.999 * median_s, median_s, 1.001 * median_s};
    c.min_s = c.trials_s.front();
    c.max_s = c.trials_s.back();
    c.median_gflops = 1;
    return c;
}

TEST(Foretold, VerdictComparesTheIntervals) {
    EXPECT_EQ(verdict_on(planted(), measured(180e-6)), "as predicted");
    EXPECT_EQ(verdict_on(planted(), measured(340e-6)), "100 % slower than predicted");
    EXPECT_EQ(verdict_on(planted(), measured(85e-6)), "50 % faster than predicted");
    EXPECT_EQ(verdict_on(planted(), {}), "not measured");
    results::result busy = measured(340e-6);
    busy.busy = "other work took 40 %";
    EXPECT_EQ(verdict_on(planted(), busy), "no verdict: other work took 40 %");
}

TEST(Foretold, TheLongestPartBinds) {
    core::gpu_prediction told = planted();
    EXPECT_EQ(binding(told), "tensor cores, 94 % of it");
    told.parts[1].time_s = 165e-6;
    EXPECT_EQ(binding(told), "launch, 97 % of it");
    told.parts.clear();
    EXPECT_EQ(binding(told), "");
}

TEST(Foretold, SetsAreDrawnAlikeForASeed) {
    const std::vector<dtype> types = {dtype::bf16, dtype::f32};
    const auto one = draw(7, 200, types);
    const auto again = draw(7, 200, types);
    ASSERT_EQ(one.size(), 200U);
    std::int64_t least = 1 << 20, most = 0;
    int odd = 0, multiples = 0;
    for (std::size_t i = 0; i < one.size(); ++i) {
        EXPECT_EQ(one[i].size, again[i].size);
        EXPECT_EQ(one[i].type, types[i % 2]);
        for (const std::int64_t extent : {one[i].size.m, one[i].size.n, one[i].size.k}) {
            least = std::min(least, extent);
            most = std::max(most, extent);
            odd += extent % 2 != 0 ? 1 : 0;
            multiples += extent % 16 == 0 ? 1 : 0;
        }
    }
    EXPECT_NE(one[0].size, draw(8, 1, types)[0].size);
    EXPECT_GE(least, 16);
    EXPECT_LE(most, 16384);
    EXPECT_LT(least, 32);
    EXPECT_GT(most, 8192);
    EXPECT_GT(odd, 100) << "no multiples of 16 alone";
    EXPECT_GT(multiples, 200) << "programs mostly have them";
}

TEST(Foretold, HitsAreCountedByKindAndOnlyOfWhatWasMeasured) {
    std::vector<foretold_case> all;
    for (const double median_s : {170e-6, 194e-6, 197e-6, 0.0}) {
        foretold_case c;
        c.foretold = planted();
        c.measured = measured(median_s);
        all.push_back(c);
    }
    all[1].foretold->kind = "thin";
    all.push_back({});
    all.back().measured = measured(170e-6);  // no model covers it
    const auto rates = hit_rates(all);
    ASSERT_EQ(rates.size(), 3U);
    EXPECT_EQ(rates[0].of, 3U);
    EXPECT_EQ(rates[0].within, 2U);  // 1.00 and 1.14, not 1.16
    EXPECT_EQ(rates[1].kind, "cooperative");
    EXPECT_EQ(rates[1].within, 1U);
    EXPECT_EQ(rates[2].of, 1U);
    const auto told = to_json(all, 7);
    EXPECT_EQ(told["cases"].size(), 5U);
    EXPECT_TRUE(told["cases"][4]["predicted"].is_null());
    EXPECT_EQ(told["cases"][0]["predicted"]["interval_s"][1], 190e-6);
    EXPECT_EQ(told["rates"][0]["within_15_percent"], 2);
}

TEST(Foretold, OnlyAProductThatCanTellDoes) {
    class silent final : public rows::runnable {
        void run(const core::operands&) override {}
    };
    const machine::peaks none;
    EXPECT_FALSE(foretell(silent(), nullptr, {}, &none));
}

explanation explained() {
    static const rows::implementation entry = {
        .name = "cuda.engine", .summary = "", .signatures = {}};
    explanation all;
    all.key = {{4096, 4096, 4096}, dtype::bf16, 1, {}};
    device_report d;
    d.chosen.where = rows::device::cuda;
    d.chosen.entry = &entry;
    d.foretold = planted();
    d.measured = measured(180e-6);
    all.devices.push_back(d);
    return all;
}

// The test ignores line breaks of the page.
std::string in_one_line(const std::string& text) {
    return std::regex_replace(text, std::regex("\\s+"), " ");
}

TEST(Foretold, ThePageHasThePredictionTheMeasurementAndTheVerdict) {
    const nlohmann::json told = to_json(explained());
    const auto& predicted = told["devices"][0]["predicted"];
    EXPECT_EQ(predicted["verdict"], "as predicted");
    EXPECT_EQ(predicted["tiles"], 512);
    EXPECT_EQ(predicted["parts"][0]["name"], "tensor cores");
    const std::string page = in_one_line(cli::explain_text(explained()));
    for (const char* words :
         {"512 tiles, 132 at once: 3.88 waves, 3 % of the room left empty", "64 MiB from memory",
          "tensor cores", "160 µs", "predicted 170 µs (150 µs to 190 µs",
          "180 µs (180 µs to 180 µs", "as predicted"})
        EXPECT_NE(page.find(words), std::string::npos) << words << " in\n" << page;
    EXPECT_EQ(page.find("(a bound)"), std::string::npos);
}

}  // namespace
}  // namespace carat::explain
