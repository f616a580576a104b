// Which results of a file belong to a crossing, and what is written about one.
#include <gtest/gtest.h>
#include <limits>

#include "lab/crossover/crossover.hpp"

namespace {

using namespace carat;

results::result result(const std::string& implementation, std::int64_t n) {
    results::result c;
    c.implementation = implementation;
    c.device = implementation.starts_with("cpu") ? "cpu" : "cuda";
    c.dtype = "f32";
    c.m = c.n = c.k = n;
    c.threads = 2;
    c.verified = true;
    c.trials_s = {1, 2};
    if (c.device == "cuda") c.end_to_end.emplace().total_trials_s = {3, 4, 5};
    return c;
}

results::document sample() {
    results::document doc;
    doc.results = {result("cpu.a", 64), result("cuda.x", 64), result("cpu.a", 8),
                   result("cuda.x", 8)};
    return doc;
}

TEST(trials_of, takes_products_from_the_cpu_and_whole_sequences_from_the_gpu_by_size) {
    const auto trials = crossover::trials_of(sample(), "f32", 2);
    ASSERT_EQ(trials.size(), 2u);
    EXPECT_EQ(trials[0].n, 8);
    EXPECT_EQ(trials[1].n, 64);
    ASSERT_EQ(trials[0].cpu.size(), 1u);
    ASSERT_EQ(trials[0].gpu.size(), 1u);
    EXPECT_EQ(trials[0].cpu[0].trials_s, (std::vector<double>{1, 2}));
    EXPECT_EQ(trials[0].gpu[0].trials_s, (std::vector<double>{3, 4, 5}));
}

TEST(trials_of, leaves_out_what_is_wrong_impossible_untimed_or_of_another_case) {
    EXPECT_TRUE(crossover::trials_of(sample(), "f64", 2).empty());
    EXPECT_TRUE(crossover::trials_of(sample(), "f32", 1).empty());
    results::document doc = sample();
    doc.results[0].verified = false;
    doc.results[1].above_peak = true;
    doc.results[2].m = 9;
    doc.results[3].end_to_end.reset();
    const auto trials = crossover::trials_of(doc, "f32", 2);
    for (const auto& t : trials) EXPECT_TRUE(t.cpu.empty() && t.gpu.empty());
}

TEST(crossover_file, has_null_where_an_interval_has_no_end_and_the_sizes_around_a_crossing) {
    results::crossover c{.gpu = "cuda.x",
                         .outcome = "crosses",
                         .n = 40,
                         .ci95 = {30, std::numeric_limits<double>::infinity()},
                         .between = {{8, 64}},
                         .points = {{8, "cpu.a", 1, 3, {1, 2}, {2, 4}}}};
    const auto json = results::to_json(c);
    EXPECT_EQ(json["outcome"], "crosses");
    EXPECT_EQ(json["n"], 40);
    EXPECT_EQ(json["ci95"][0], 30);
    EXPECT_TRUE(json["ci95"][1].is_null());
    EXPECT_EQ(json["between"][1], 64);
    EXPECT_EQ(json["points"][0]["gpu_s"], 3);
    EXPECT_EQ(json["points"][0]["cpu"], "cpu.a");
    c.outcome = "never";
    c.n.reset();
    c.between.reset();
    const auto none = results::to_json(c);
    EXPECT_TRUE(none["n"].is_null());
    EXPECT_FALSE(none.contains("between"));
}

}  // namespace
