// What is written about trials: figures, intervals and verdicts that agree, settling, and the
// changes between two documents.
#include <algorithm>
#include <gtest/gtest.h>

#include "lab/compare/analyse.hpp"
#include "lab/compare/changes.hpp"
#include "tests/compare/measured.hpp"

namespace {

using namespace carat;

results::document document_of(std::vector<results::result> results) {
    results::document doc;
    doc.complete = true;
    doc.results = std::move(results);
    results::comparison& compared = doc.comparisons.emplace_back();
    compared.dtype = "f64";
    compared.m = compared.n = compared.k = 100;
    comparing::analyse_results(doc.results, {}, compared);
    return doc;
}

TEST(analyse_results, a_disturbed_row_takes_the_rank_only_from_those_it_might_change_places_with) {
    std::vector<results::result> rows = {
        measured("a", 1e-3, 5, 5, 0, 1), measured("b", 2e-3, 5, 5, 0, 2),
        measured("c", 9e-3, 5, 5, 0, 3), measured("d", 4e-3, 5, 5, 0, 4)};
    rows[2].busy = "its threads waited";  // 9 ms, but its fastest trial took no longer than d
    rows[2].trials_s[7] = 3.9e-3;
    const results::document doc = document_of(rows);
    const std::vector<int> ranks = {1, 2, 0, 0};
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        EXPECT_EQ(doc.results[i].rank, ranks[i]) << doc.results[i].implementation;
        EXPECT_TRUE(doc.results[i].has_figure());
        EXPECT_TRUE(results::bounded(doc.results[i].ci95_gflops));
        EXPECT_EQ(doc.results[i].group.empty(), i == 2);
    }
    EXPECT_EQ(doc.comparisons[0].pairs.size(), 3U);  // of a, b and d
    EXPECT_EQ(doc.comparisons[0].find("a", "c"), nullptr);
    // Each is still compared with its own figure of another file.
    const comparing::changes found = comparing::compare_documents(doc, doc, {});
    EXPECT_EQ(found.rows[0].verdict, "tie");
    EXPECT_EQ(found.rows[2].verdict, "busy");
}

TEST(analyse_results, a_disturbed_row_that_led_all_the_same_counts_for_the_ranks_behind_it) {
    std::vector<results::result> rows = {measured("a", 1e-3, 5, 5, 0, 1),
                                         measured("b", 2e-3, 5, 5, 0, 2)};
    rows[0].busy = "its threads waited";
    const results::document doc = document_of(rows);
    EXPECT_EQ(doc.results[0].rank, 0);
    EXPECT_EQ(doc.results[1].rank, 2);
}

TEST(analyse_results, one_process_has_a_range_and_verdicts_of_its_own) {
    results::document doc =
        document_of({measured("a", 1e-3, 1, 30, 0, 1), measured("b", 2e-3, 1, 30, 0, 2)});
    for (const results::result& c : doc.results) {
        EXPECT_FALSE(results::bounded(c.ci95_gflops));
        EXPECT_FALSE(results::bounded(c.ci95_median_s));
        EXPECT_EQ(c.ci_method, "");
    }
    const results::pair& p = doc.comparisons[0].pairs.at(0);
    EXPECT_EQ(p.verdict, "faster");
    EXPECT_EQ(p.interval_over, "one process");
    const nlohmann::json written = results::to_json(doc);
    EXPECT_TRUE(written["results"][0]["ci95_gflops"].is_null());
    EXPECT_FALSE(written["results"][0].contains("trials_per_process"));
}

TEST(analyse_results, three_processes_have_an_interval_that_holds_the_figure) {
    results::document doc =
        document_of({measured("a", 1e-3, 3, 10, 0.01, 1), measured("b", 2e-3, 3, 10, 0.01, 2)});
    const results::result& c = doc.results[0];
    EXPECT_EQ(c.ci_method, "t over 3 processes");
    EXPECT_LT(c.ci95_gflops[0], c.median_gflops);
    EXPECT_GT(c.ci95_gflops[1], c.median_gflops);
    EXPECT_LT(c.ci95_mean_s[0], c.mean_s);
    const results::pair& p = doc.comparisons[0].pairs.at(0);
    EXPECT_EQ(p.interval_over, "processes");
    EXPECT_NEAR(p.ratio, doc.results[0].median_gflops / doc.results[1].median_gflops, 1e-9);
    const nlohmann::json written = results::to_json(doc);
    EXPECT_EQ(written["results"][0]["trials_per_process"], (nlohmann::json{10, 10, 10}));
    EXPECT_EQ(results::from_json(written, "x").results[0].trials_per_process.size(), 3u);
}

TEST(analyse_results, two_processes_or_five_trials_bear_no_verdict) {
    for (const auto& doc :
         {document_of({measured("a", 1e-3, 2, 20, 0, 1), measured("b", 2e-3, 2, 20, 0, 2)}),
          document_of({measured("a", 1e-3, 1, 5, 0, 1), measured("b", 2e-3, 1, 5, 0, 2)})}) {
        const results::pair& p = doc.comparisons[0].pairs.at(0);
        EXPECT_FALSE(results::bounded(doc.results[0].ci95_gflops));
        EXPECT_FALSE(results::bounded(p.ci95_ratio));
        EXPECT_EQ(p.verdict, "unclear");
        EXPECT_EQ(p.interval_over, "");
        EXPECT_NEAR(p.ratio, 2, 0.01);
        EXPECT_EQ(doc.results[0].group, doc.results[1].group);
    }
}

// 566 of 9,660 pairs once had an interval that excludes 1 with "unclear" or "tie". A document can
// no longer do so: its verdict is what its interval and its margin say.
TEST(analyse_results, no_document_has_a_pair_whose_interval_contradicts_its_verdict) {
    std::mt19937_64 random(1);
    const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    int claims = 0, pairs = 0;
    for (int i = 0; i < 400; ++i) {
        const int processes = 1 + below(7), trials = 1 + below(25);
        std::vector<results::result> rows;
        for (int row = 0; row < 2 + below(4); ++row)
            rows.push_back(measured(std::to_string(row), 1e-3 * (1 + 0.01 * below(6)), processes,
                                    trials, 0.002 * below(6), random()));
        const nlohmann::json doc = results::to_json(document_of(rows));
        for (const auto& p : doc["comparisons"][0]["pairs"]) {
            const std::string verdict = p["verdict"];
            const bool claim = verdict == "faster" || verdict == "slower";
            ++pairs;
            claims += claim ? 1 : 0;
            if (p["ci95_ratio"].is_null()) {
                EXPECT_EQ(verdict, "unclear");
                continue;
            }
            const double low = p["ci95_ratio"][0], high = p["ci95_ratio"][1];
            EXPECT_LE(low, p["ratio"].get<double>());
            EXPECT_GE(high, p["ratio"].get<double>());
            EXPECT_EQ(claim, low > 1 || high < 1) << p;
            EXPECT_EQ(verdict == "faster", low > 1.02) << p;
            EXPECT_EQ(verdict == "slower", high < 1 / 1.02) << p;
            EXPECT_EQ(verdict == "tie", low >= 1 / 1.02 && high <= 1.02) << p;
        }
    }
    EXPECT_GT(claims, pairs / 10);
    EXPECT_LT(claims, pairs - pairs / 10);
}

results::document five(double times_s, std::uint64_t seed) {
    return document_of({measured("a", times_s, 5, 10, 0.002, seed),
                        measured("b", 2 * times_s, 5, 10, 0.002, seed + 1)});
}

TEST(compare_documents, judges_all_cases_together) {
    const results::document before = five(2, 1), after = five(1, 3), same = five(2, 5);
    const comparing::changes faster = comparing::compare_documents(before, after, {});
    EXPECT_EQ(faster.count("faster"), 2u);
    EXPECT_TRUE(faster.failures.empty());
    EXPECT_NEAR(faster.rows[0].ratio, 2, 0.02);
    EXPECT_NEAR(std::min(faster.rows[0].confidence, faster.rows[1].confidence), 0.95, 1e-12);
    EXPECT_NEAR(std::max(faster.rows[0].confidence, faster.rows[1].confidence), 0.975, 1e-12);
    ASSERT_TRUE(faster.over_cases);
    EXPECT_NEAR(faster.over_cases->geometric_mean, 2, 0.02);
    const comparing::changes slower = comparing::compare_documents(after, before, {});
    EXPECT_EQ(slower.failures, std::vector<std::string>{"2 cases slower"});
    EXPECT_EQ(comparing::compare_documents(before, same, {}).count("tie"), 2u);
}

// This many sizes, all slower by these two shares in turn.
results::document sizes(int count, double even, double odd, std::uint64_t seed) {
    std::vector<results::result> all;
    for (int i = 0; i < count; ++i) {
        all.push_back(measured("a", 1 + (i % 2 == 0 ? even : odd), 5, 10, 0.002,
                               seed + static_cast<std::uint64_t>(i)));
        all.back().m += i;
    }
    return document_of(std::move(all));
}

TEST(compare_documents, claims_no_change_that_another_session_makes) {
    const results::document before = sizes(8, 0, 0, 1), after = sizes(8, 0.06, -0.06, 100);
    const comparing::changes apart = comparing::compare_documents(before, after, {});
    EXPECT_EQ(apart.count("unclear"), 8u);
    ASSERT_EQ(apart.notes.size(), 1u);
    EXPECT_NE(apart.notes[0].find("allow for 5.0 % by which sessions"), std::string::npos);
    const comparing::changes side_by_side =
        comparing::compare_documents(before, after, {}, comparing::rounds::common);
    EXPECT_EQ(side_by_side.count("slower"), 4u);
    EXPECT_TRUE(side_by_side.notes.empty());
    const comparing::changes large =
        comparing::compare_documents(before, sizes(8, 0.4, 0.4, 200), {});
    EXPECT_EQ(large.count("slower"), 8u);
}

// Too few cases to estimate the drift, so that of guests is assumed.
TEST(compare_documents, takes_guests_for_drifting_where_it_can_not_tell) {
    results::document before = sizes(2, 0, 0, 1);
    const results::document after = sizes(2, 0.06, 0.06, 100);
    EXPECT_EQ(comparing::compare_documents(before, after, {}).count("slower"), 2u);
    before.machine = {{"hypervisor", "KVM"}};
    EXPECT_EQ(comparing::compare_documents(before, after, {}).count("unclear"), 2u);
    EXPECT_EQ(comparing::compare_documents(before, before, {}).count("tie"), 2u);
}

// Processes that differ by 20 % from each other, in the same way on both sides: their rounds were
// the same.
TEST(compare_documents, pairs_what_was_measured_in_common_rounds) {
    const results::document before = document_of({measured("a", 1, 5, 10, 0.2, 1)});
    results::document after = before;
    for (double& time_s : after.results[0].trials_s) time_s *= 1.05;
    EXPECT_EQ(comparing::compare_documents(before, after, {}).rows[0].verdict, "unclear");
    const comparing::changes paired =
        comparing::compare_documents(before, after, {}, comparing::rounds::common);
    EXPECT_EQ(paired.rows[0].verdict, "slower");
    EXPECT_NEAR(paired.rows[0].ratio, 1 / 1.05, 1e-9);
    EXPECT_EQ(paired.failures, std::vector<std::string>{"1 case slower"});
}

TEST(compare_documents, fails_on_what_is_missing_lost_or_unfinished) {
    const results::document before = five(1, 1);
    results::document after = five(1, 3);
    after.complete = false;
    after.results.pop_back();
    comparing::changes found = comparing::compare_documents(before, after, {});
    EXPECT_EQ(found.rows[1].verdict, "missing");
    EXPECT_EQ(found.failures, (std::vector<std::string>{"1 case missing in the later file",
                                                        "the later file is unfinished"}));
    after = five(1, 3);
    after.results[0].verified = false;
    after.results[0].rank = 0;
    after.results[0].reason = "wrong";
    found = comparing::compare_documents(before, after, {});
    EXPECT_EQ(found.failures, std::vector<std::string>{"1 case without a figure any more"});
    EXPECT_EQ(found.rows[0].reason, "wrong");
    EXPECT_EQ(comparing::compare_documents(after, before, {}).only_after, 1u);
}

TEST(compare_documents, fails_where_no_case_has_a_verdict) {
    const results::document before = five(1, 1);
    results::document after = five(1, 3);
    after.results[0].busy = "other work took 40 %";
    after.results[0].rank = 0;
    EXPECT_TRUE(comparing::compare_documents(before, after, {}).failures.empty());
    after.results[1].busy = after.results[0].busy;
    after.results[1].rank = 0;
    const comparing::changes busy = comparing::compare_documents(before, after, {});
    ASSERT_EQ(busy.failures.size(), 1u);
    EXPECT_NE(busy.failures[0].find("the machine was busy: other work"), std::string::npos);
    const results::document one =
        document_of({measured("a", 1, 1, 30, 0, 1), measured("b", 1, 1, 30, 0, 2)});
    const comparing::changes alone = comparing::compare_documents(one, one, {});
    EXPECT_EQ(alone.count("one process"), 2u);
    ASSERT_EQ(alone.failures.size(), 1u);
    EXPECT_NE(alone.failures[0].find("fewer than 3 processes"), std::string::npos);
}

TEST(compare_documents, names_what_else_changed) {
    results::document before = five(1, 1), after = five(1, 3);
    const auto with_driver = [](const char* driver) {
        nlohmann::json machine = {{"cpu_model", "X"}};
        machine["gpus"] = nlohmann::json::array();
        machine["gpus"].push_back({{"name", "G"}, {"driver", driver}});
        return machine;
    };
    before.machine = with_driver("580.1");
    after.machine = with_driver("590.2");
    before.results[0].vendor = {"OpenBLAS", "0.3.21", "", "", ""};
    after.results[0].vendor = {"OpenBLAS", "0.3.34", "", "", ""};
    const std::vector<std::string> notes = comparing::compare_documents(before, after, {}).notes;
    EXPECT_EQ(notes, (std::vector<std::string>{
                         "OpenBLAS version was 0.3.21, now 0.3.34: the change may be its",
                         "gpu 0 driver was 580.1, now 590.2: the change may be its"}));
}

}  // namespace
