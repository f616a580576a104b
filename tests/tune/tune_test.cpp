// What is measured, what follows from it, and what is written.
#include "lab/tune/tune.hpp"

#include <gtest/gtest.h>

#include <carat/error.hpp>

#include "tuning/tuned.hpp"

namespace {

using namespace carat;

// Plans with "tile" 16 and 17 are one.
class tiled final : public rows::runnable {
  public:
    explicit tiled(std::int64_t tile) : tile_(tile) {}
    void run(const core::operands&) override {}
    [[nodiscard]] core::plan_facts planned() const override {
        core::plan_facts told;
        told.why = "tile " + std::to_string(tile_ / 16);
        return told;
    }

  private:
    std::int64_t tile_;
};

constexpr std::int64_t tiles[] = {16, 17, 32};
constexpr core::tunable tile = {"tile", 0, 0, 64, "columns", tiles};
constexpr core::tunable idle = {"idle", 0, 0, 64, "nothing worth trying"};
constexpr core::tunable tunables[] = {tile, idle};
constexpr core::signature types[] = {{dtype::f32, dtype::f32, dtype::f32, "f32"}};

constexpr rows::implementation entry = {
    .name = "cuda.some",
    .summary = "",
    .where = rows::device::cuda,
    .signatures = types,
    .tunables = tunables,
    .prepare = [](const core::problem&, const core::settings& s)
        -> std::unique_ptr<rows::runnable> { return std::make_unique<tiled>(s.value(tile)); }};

request::case_key key() {
    return {{64, 32, 16}, dtype::f32, 1, {'n', 't'}};
}

results::result result(const std::string& label, double median_s) {
    results::result c;
    c.implementation = label;
    c.median_s = median_s;
    c.trials_s.assign(10, median_s);
    c.rank = 1;
    return c;
}

// Compares the larger tile with the model's choice.
results::comparison with_verdict(const char* verdict) {
    results::comparison compared;
    compared.pairs.push_back({.a = "cuda.some[tile=32]", .b = "cuda.some", .verdict = verdict});
    return compared;
}

TEST(tune, measures_the_model_and_every_other_plan_once) {
    const auto chosen = tune::candidates(entry, request::problem_of(key()));
    ASSERT_EQ(chosen.size(), 3U);
    EXPECT_TRUE(chosen[0].tunables.empty());
    EXPECT_EQ(chosen[1].tunables.at("tile"), 16);
    EXPECT_EQ(chosen[2].tunables.at("tile"), 32);
}

TEST(tune, keeps_what_is_faster_for_sure) {
    const auto chosen = tune::candidates(entry, request::problem_of(key()));
    const auto judged = [&](const char* verdict) {
        const std::vector<results::result> results = {result("cuda.some", 10),
                                                      result("cuda.some[tile=16]", 11),
                                                      result("cuda.some[tile=32]", 9)};
        const tune::finding found = tune::judge(key(), chosen, results, with_verdict(verdict));
        EXPECT_EQ(found.tunables.at("tile"), 32);
        EXPECT_EQ(found.model->median_s, 10);
        return found.better;
    };
    EXPECT_TRUE(judged("faster"));
    EXPECT_FALSE(judged("unclear"));
    EXPECT_FALSE(judged("tie"));
    EXPECT_THROW((void)tune::judge(key(), chosen, {result("cuda.some[tile=16]", 1)}, {}), error);
    std::vector<results::result> busy = {result("cuda.some", 10), result("cuda.some[tile=32]", 1)};
    for (results::result& c : busy) {
        c.busy = "other work took 40 %";
        c.verified = true;
        c.rank = 0;
    }
    EXPECT_FALSE(tune::judge(key(), chosen, busy, with_verdict("faster")).better);
}

TEST(tune, writes_what_engines_find_and_takes_back_what_is_no_better_any_more) {
    const auto chosen = tune::candidates(entry, request::problem_of(key()));
    const std::vector<results::result> results = {result("cuda.some", 10),
                                                  result("cuda.some[tile=32]", 5)};
    const nlohmann::json from = {{"device", "GPU X"}, {"date", "2026-11-22"}};
    nlohmann::json table = tune::load_table("no such file");
    tune::finding found = tune::judge(key(), chosen, results, with_verdict("faster"));
    tune::take(table, found, from);
    tune::take(table, found, from);
    ASSERT_EQ(table.at("cases").size(), 1U);
    EXPECT_EQ(table.at("cases").at(0).at("model").at("median_s"), 10);
    const tuning::tuned_table read(table.dump(), "a file");
    const auto* way =
        read.find(tuning::tuned_case("GPU X", "cuda.some", request::problem_of(key())), tunables);
    ASSERT_NE(way, nullptr);
    EXPECT_EQ(way->at("tile"), 32);
    tune::take(table, found, {{"device", "GPU Y"}});
    EXPECT_EQ(table.at("cases").size(), 2U);
    found.better = false;
    tune::take(table, found, from);
    ASSERT_EQ(table.at("cases").size(), 1U);
    EXPECT_EQ(table.at("cases").at(0).at("device"), "GPU Y");
}

TEST(tune, says_why_there_is_nothing_to_tune) {
    rows::implementation other = entry;
    EXPECT_EQ(tune::reason_against(other), "");
    other.tunables = std::span(tunables).last(1);
    EXPECT_NE(tune::reason_against(other).find("nothing to choose"), std::string::npos);
    other.where = rows::device::cpu;
    EXPECT_NE(tune::reason_against(other).find("sizes of the caches"), std::string::npos);
}

}  // namespace
