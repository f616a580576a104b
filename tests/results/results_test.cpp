// What is written can be read back, whole or not at all, and damage is named.
#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>
#include <limits>

#include <carat/error.hpp>

#include "lab/files/output.hpp"
#include "lab/results/files.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/scratch_folder.hpp"

namespace {

using namespace carat;
namespace fs = std::filesystem;

results::document sample() {
    results::document doc;
    doc.carat = "0.1.0";
    doc.complete = true;
    results::result c;
    c.implementation = "cpu.ladder.tiled";
    c.tunables = {{"tile-size", 64}};
    c.dtype = "f64";
    c.device = "cpu";
    c.m = c.n = c.k = 100;
    c.layout = "nt";
    c.available = c.verified = true;
    c.trials_s = {0.25, 0.5};
    c.background_cpu_share = 0.25;
    c.busy = "other work took 25 %";
    c.remark = "its threads waited";
    c.flop = 2e6;
    c.median_gflops = 5e-3;
    c.ci95_median_s = {-std::numeric_limits<double>::infinity(),
                       std::numeric_limits<double>::infinity()};
    c.vendor = {"OpenBLAS", "0.3", "lib", "Zen", "note"};
    c.gpu =
        results::gpu_facts{3, {{1980, 1755, 1980}}, 3201, {}, {"sw_power_cap"}, 512.5, 0.0125, 0.3};
    c.kernels = {{"first", 256, 20, 0, 0, 1}, {"second", 128, 222, 0, 107520, 0.125}};
    c.plan = "tiles of 64 x 16";
    doc.results.push_back(c);
    results::comparison compared;
    compared.dtype = "f64";
    compared.m = compared.n = compared.k = 100;
    compared.h0 = "H0";
    compared.base = "b";
    compared.pairs.push_back({"a", "b", 1.5, {1.4, 1.6}, "processes", 0.975, 4, 0.01, "faster", 0});
    compared.pairs.push_back({"c", "b", 1.5});
    compared.pairs.back().verdict = "unclear";
    doc.comparisons.push_back(compared);
    return doc;
}

class results_files : public testing::Test {
  protected:
    std::string message_of_loading(const std::string& text) const {
        std::ofstream(folder / "x.json") << text;
        return test::refusal_of([&] { (void)results::load(folder / "x.json"); });
    }

    const test::scratch_folder own;
    const fs::path& folder = own.path();
};

TEST_F(results_files, survive_the_round_trip_infinities_included) {
    const auto json = to_json(sample());
    files::write_whole(folder / "r.json", json.dump());
    const results::document back = results::load(folder / "r.json");
    EXPECT_EQ(to_json(back), json);
    EXPECT_EQ(back.results[0].tunables.at("tile-size"), 64);
    EXPECT_EQ(back.results[0].ci95_median_s[0], -std::numeric_limits<double>::infinity());
    EXPECT_EQ(back.results[0].vendor.kernel, "Zen");
    EXPECT_EQ(back.results[0].plan, "tiles of 64 x 16");
    EXPECT_EQ(back.comparisons[0].pairs[0].verdict, "faster");
    EXPECT_EQ(back.results[0].layout, "nt");
    nlohmann::json older = json;
    older["results"][0].erase("layout");
    older["results"][0].erase("background_cpu_share");
    older["results"][0].erase("busy");
    older["results"][0].erase("remark");
    EXPECT_EQ(results::from_json(older, "older").results[0].layout, "nn");
    EXPECT_EQ(results::from_json(older, "older").results[0].background_cpu_share, std::nullopt);
    EXPECT_EQ(back.results[0].busy, "other work took 25 %");
    EXPECT_EQ(back.results[0].remark, "its threads waited");
    EXPECT_TRUE(back.results[0].has_figure());
    // Unranked beside one that was disturbed.
    EXPECT_TRUE(results::from_json(older, "older").results[0].has_figure());
    older["results"][0]["verified"] = false;
    EXPECT_FALSE(results::from_json(older, "older").results[0].has_figure());
}

// A result that could not be measured, as asked for.
results::result absent() {
    results::result c = sample().results[0];
    c.available = c.verified = false;
    c.reason = "no such library";
    c.vendor = {};
    c.gpu.reset();
    c.kernels.clear();
    c.plan.clear();
    return c;
}

TEST_F(results_files, cells_without_a_figure_say_what_was_asked_and_why_not_and_nothing_else) {
    results::document doc = sample();
    doc.results.push_back(absent());
    const nlohmann::json written = to_json(doc)["results"][1];
    EXPECT_EQ(written, (nlohmann::json{{"implementation", "cpu.ladder.tiled"},
                                       {"device", "cpu"},
                                       {"dtype", "f64"},
                                       {"m", 100},
                                       {"n", 100},
                                       {"k", 100},
                                       {"layout", "nt"},
                                       {"threads", 1},
                                       {"tunables", {{"tile-size", 64}}},
                                       {"available", false},
                                       {"reason", "no such library"}}));
    const results::document back = results::from_json(to_json(doc), "here");
    EXPECT_EQ(to_json(back), to_json(doc));
    EXPECT_EQ(back.results[1].reason, "no such library");
    EXPECT_FALSE(back.results[1].ranked());
}

TEST_F(results_files, older_results_without_a_figure_are_read_past_their_zeros) {
    results::document doc = sample();
    doc.results.push_back(absent());
    nlohmann::json older = to_json(doc);
    nlohmann::json zeros = older["results"][0];  // every field, as older files have
    zeros["available"] = false;
    zeros["trials_s"] = nlohmann::json::array();
    zeros["rank"] = 0;
    zeros["reason"] = "no such library";
    zeros.erase("library");
    older["results"][1] = zeros;
    EXPECT_EQ(to_json(results::from_json(older, "older")), to_json(doc));
}

// The sample with the phases of a product on a device.
results::document with_phases() {
    results::document doc = sample();
    results::phases& p = doc.results[0].end_to_end.emplace();
    p.host_memory = "pinned";
    p.parts = {{"allocate", 1e-3, {9e-4, 2e-3}},
               {"compute", 2e-3, {2e-3, std::numeric_limits<double>::infinity()}}};
    p.total = {"total", 3e-3, {2.9e-3, 3.1e-3}};
    p.total_trials_s = {2.9e-3, 3e-3, 3.1e-3};
    p.repetitions = 4;
    p.stop = "trials";
    return doc;
}

TEST_F(results_files, keep_phases_in_their_order_and_crossovers) {
    results::document doc = with_phases();
    doc.crossovers.push_back({.gpu = "cuda.x",
                              .dtype = "f32",
                              .host_memory = "pinned",
                              .outcome = "crosses",
                              .n = 12.5,
                              .between = {{8, 16}},
                              .points = {{8, "cpu.x", 1, 2}, {16, "cpu.x", 2, 1}}});
    const auto json = to_json(doc);
    EXPECT_EQ(json["results"][0]["phases"]["allocate_s"]["median"], 1e-3);
    EXPECT_TRUE(json["results"][0]["phases"]["compute_s"]["ci95"][1].is_null());
    EXPECT_FALSE(json["results"][0]["phases"].contains("convert_s"));
    const results::document back = results::from_json(json, "here");
    EXPECT_EQ(to_json(back), json);
    ASSERT_TRUE(back.results[0].end_to_end);
    ASSERT_EQ(back.results[0].end_to_end->parts.size(), 2u);
    EXPECT_EQ(back.results[0].end_to_end->parts[1].name, "compute");
    EXPECT_EQ(back.results[0].end_to_end->find("total")->median_s, 3e-3);
    EXPECT_EQ(back.results[0].end_to_end->find("free"), nullptr);
    ASSERT_EQ(back.crossovers.size(), 1u);
    EXPECT_EQ(back.crossovers[0].n, 12.5);
    EXPECT_EQ(json["crossovers"][0]["ci95"], (nlohmann::json{nullptr, nullptr}));
    EXPECT_EQ(back.crossovers[0].points[1].gpu_s, 1);
    EXPECT_FALSE(to_json(sample()).contains("crossovers"));
    EXPECT_FALSE(to_json(sample())["results"][0].contains("phases"));
}

TEST_F(results_files, phases_that_could_not_be_measured_keep_the_reason) {
    results::document doc = sample();
    doc.results[0].end_to_end.emplace().reason = "the device is full";
    const results::document back = results::from_json(to_json(doc), "here");
    EXPECT_FALSE(back.results[0].end_to_end->measured());
    EXPECT_EQ(back.results[0].end_to_end->reason, "the device is full");
}

TEST_F(results_files, damaged_phases_are_named_with_their_place) {
    auto json = to_json(with_phases());
    json["results"][0]["phases"].erase("total_s");
    EXPECT_NE(message_of_loading(json.dump()).find("results[0].phases.total_s is missing"),
              std::string::npos);
    json = to_json(with_phases());
    json["results"][0]["phases"]["compute_s"]["ci95"] = "wide";
    EXPECT_NE(
        message_of_loading(json.dump()).find("phases.compute_s.ci95 is \"wide\", expected a list"),
        std::string::npos);
    json = to_json(with_phases());
    json["results"][0]["phases"]["total_trials_s"][0] = 0;
    EXPECT_NE(message_of_loading(json.dump()).find("phases.total_trials_s holds a time"),
              std::string::npos);
}

TEST_F(results_files, no_interval_is_null_and_processes_add_up) {
    results::document doc = sample();
    doc.results[0].trials_per_process = {1, 0, 1};
    auto json = to_json(doc);
    EXPECT_TRUE(json["results"][0]["ci95_gflops"].is_null());
    EXPECT_TRUE(json["comparisons"][0]["pairs"][1]["ci95_ratio"].is_null());
    EXPECT_EQ(json["results"][0]["trials_per_process"], (nlohmann::json{1, 0, 1}));
    json["results"][0]["trials_per_process"] = {1, 2};
    EXPECT_NE(
        message_of_loading(json.dump()).find("trials_per_process adds up to 3, and trials_s has 2"),
        std::string::npos);
    json["results"][0]["trials_per_process"] = {3, -1};
    EXPECT_NE(message_of_loading(json.dump()).find("holds a negative count"), std::string::npos);
}

TEST_F(results_files, damage_is_named_with_its_place) {
    const std::string whole = to_json(sample()).dump();
    EXPECT_NE(message_of_loading(whole + "x").find("is not JSON"), std::string::npos);
    EXPECT_NE(message_of_loading(whole + whole).find("is not JSON"), std::string::npos);
    EXPECT_EQ(message_of_loading(whole + "\n"), "");
    for (const char* field : {"machine", "build", "settings"}) {
        auto damaged = to_json(sample());
        damaged[field] = "none";
        EXPECT_NE(message_of_loading(damaged.dump()).find(field), std::string::npos);
    }
    EXPECT_NE(message_of_loading(whole.substr(0, whole.size() / 2)).find("is not JSON"),
              std::string::npos);
    EXPECT_NE(message_of_loading("{}").find("schema is missing"), std::string::npos);
    EXPECT_NE(message_of_loading("[1]").find("is not an object"), std::string::npos);
    auto json = to_json(sample());
    json["schema"] = 99;
    EXPECT_NE(message_of_loading(json.dump()).find("schema is 99"), std::string::npos);
    json = to_json(sample());
    json["results"][0]["m"] = "many";
    EXPECT_NE(message_of_loading(json.dump()).find("results[0].m is \"many\", expected a whole"),
              std::string::npos);
    json["results"][0]["m"] = 0.5;
    EXPECT_NE(message_of_loading(json.dump()).find("results[0].m is 0.5, expected a whole number"),
              std::string::npos);
    json = to_json(sample());
    json["results"][0]["gpu"]["clock_mhz"]["median"] = "high";
    EXPECT_NE(message_of_loading(json.dump()).find("gpu.clock_mhz.median is \"high\", expected"),
              std::string::npos);
    json = to_json(sample());
    json["results"][0]["kernels"][1].erase("occupancy");
    EXPECT_NE(message_of_loading(json.dump()).find("results[0].kernels[1].occupancy is missing"),
              std::string::npos);
    EXPECT_NE(message_of_loading(std::string(100'000, '[')).find("nested deeper than 64 levels"),
              std::string::npos);
    json = to_json(sample());
    json["results"][0]["trials_s"][1] = -1;
    EXPECT_NE(message_of_loading(json.dump()).find("not positive"), std::string::npos);
    json = to_json(sample());
    json["comparisons"][0].erase("welch");
    EXPECT_NE(message_of_loading(json.dump()).find("comparisons[0].welch is missing"),
              std::string::npos);
}

// Checks the terminal, Markdown, tables and CSV.
TEST_F(results_files, words_of_others_come_without_control_characters) {
    auto json = to_json(sample());
    json["results"][0]["implementation"] = "evil\x1b]0;title\x07";
    json["machine"]["cpu_model"] = "\x1b[2J";
    std::ofstream(folder / "x.json") << json;
    const results::document doc = results::load(folder / "x.json");
    EXPECT_EQ(doc.results[0].implementation, "evil\\x1b]0;title\\x07");
    EXPECT_EQ(doc.machine["cpu_model"], "\\x1b[2J");
    results::document own = sample();
    own.results[0].implementation = "\x1b";
    own.results[0].device = "a,\"b\"\n";
    EXPECT_NE(results::csv(own).find("\"\\x1b\",\"a,\"\"b\"\" \",f64,"), std::string::npos)
        << results::csv(own);
}

TEST_F(results_files, trials_are_counted_by_process) {
    results::document doc = sample();
    const std::size_t all = doc.results[0].trials_s.size();
    ASSERT_GE(all, 2u);
    doc.results[0].trials_per_process = {1, static_cast<std::int64_t>(all) - 1};
    doc.results[0].hand_over_s = 2e-4;
    doc.results[0].waiting_share = 0.25;
    std::ofstream(folder / "x.json") << to_json(doc);
    const results::result back = results::load(folder / "x.json").results[0];
    EXPECT_EQ(back.trials_per_process, doc.results[0].trials_per_process);
    EXPECT_EQ(back.hand_over_s, 2e-4);
    EXPECT_EQ(back.waiting_share, 0.25);
    EXPECT_NE(results::csv(doc).find(",1,1,1,1,0.5,"), std::string::npos);  // the second's first
    auto json = to_json(doc);
    json["results"][0]["trials_per_process"] = {1, 5};
    EXPECT_NE(message_of_loading(json.dump()).find("trials_per_process adds up to 6"),
              std::string::npos);
}

TEST_F(results_files, what_disturbed_each_trial_stands_beside_it) {
    results::document doc = sample();
    results::result& one = doc.results[0];
    one.trials_displaced.resize(one.trials_s.size());
    one.trials_displaced[1] = 3;
    one.trials_waited_s.assign(one.trials_s.size(), 1e-3);
    std::ofstream(folder / "x.json") << to_json(doc);
    const results::result back = results::load(folder / "x.json").results[0];
    EXPECT_EQ(back.trials_displaced, one.trials_displaced);
    EXPECT_EQ(back.trials_waited_s, one.trials_waited_s);
    auto json = to_json(doc);
    EXPECT_FALSE(json["results"][0].contains("trials_stolen_s"));
    json["results"][0]["trials_stolen_s"] = {0.01};
    EXPECT_NE(message_of_loading(json.dump()).find("trials_stolen_s has 1 values"),
              std::string::npos);
}

TEST_F(results_files, csv_has_a_row_per_trial) {
    const std::string csv = results::csv(sample());
    EXPECT_EQ(std::ranges::count(csv, '\n'), 3);
    EXPECT_NE(csv.find("\"cpu.ladder.tiled\",cpu,f64,100,100,100,1,1,1,0,0.5,0.004,0,,,,,,,\n"),
              std::string::npos);
    EXPECT_NE(results::csv(with_phases()).find("0.004,0,0.001,,,0.002,,,0.003\n"),
              std::string::npos);
    EXPECT_NE(csv.find(",copy_in_s,convert_s,compute_s,copy_out_s,free_s,total_s\n"),
              std::string::npos);
}

}  // namespace
