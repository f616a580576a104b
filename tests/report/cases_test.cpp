// Cases, their rows, and the sentences and warnings that follow.
#include "lab/report/cases.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "lab/report/case_tables.hpp"
#include "lab/report/digest.hpp"
#include "lab/report/report.hpp"
#include "lab/report/verdict.hpp"
#include "lab/report/warnings.hpp"
#include "lab/report/words.hpp"
#include "sample.hpp"

namespace {

using namespace carat::report;
using carat::results::result;
using nlohmann::json;
using sample::document;

std::string verdict_of(const document& doc) {
    return joined(verdict(doc, group(doc).front()));
}

// Where a case's results are in the file, fastest first.
std::vector<std::ptrdiff_t> ranked(const document& doc, const measured_case& here) {
    std::vector<std::ptrdiff_t> places;
    for (const result* of : here.ranked) places.push_back(of - doc.results.data());
    return places;
}

bool warns(const document& doc, const std::string& level, const std::string& text) {
    const auto said = warnings(doc);
    return std::any_of(said.begin(), said.end(), [&](const warning& w) {
        return w.level == level && w.text.find(text) != std::string::npos;
    });
}

TEST(cases, rank_by_median_throughput) {
    const document doc = sample::two();
    const auto cases = group(doc);
    ASSERT_EQ(cases.size(), 1U);
    EXPECT_EQ(cases[0].label(), "f64 100 × 100 × 100, 2 threads");
    EXPECT_EQ(ranked(doc, cases[0]), (std::vector<std::ptrdiff_t>{1, 0}));
}

TEST(cases, give_no_figure_to_unverified_impossible_absent_or_untried_results) {
    auto wrong = sample::result("cpu.wrong", 900);
    wrong.verified = false;
    auto beyond = sample::result("cpu.beyond", 800);
    beyond.above_peak = true;
    auto untried = sample::result("cpu.untried", 700);
    untried.trials_s.clear();
    const document doc =
        sample::file({wrong, beyond, untried, sample::absent("vendor.x", "no such file"),
                      sample::result("cpu.fine", 10)});
    const auto here = group(doc).front();
    EXPECT_EQ(ranked(doc, here), std::vector<std::ptrdiff_t>{4});
    ASSERT_EQ(here.refused.size(), 4U);
    EXPECT_EQ(here.refused[0].why,
              "failed verification (componentwise): error 6.60 u, allowed 102 u");
    EXPECT_NE(here.refused[1].why.find("impossible: 800.0 GFLOP/s"), std::string::npos);
    EXPECT_NE(here.refused[2].why.find("no trials"), std::string::npos);
    EXPECT_EQ(here.refused[3].why, "unavailable: no such file");
    EXPECT_TRUE(warns(doc, "error", "`cpu.wrong`"));
    EXPECT_TRUE(warns(doc, "error", "`cpu.beyond`"));
}

TEST(cases, keep_thread_counts_apart_unless_a_comparison_joins_them) {
    const std::vector<carat::results::result> results{sample::result("cpu.serial", 10, 1),
                                                      sample::result("cpu.a", 20, 2)};
    EXPECT_EQ(group(sample::file(results)).size(), 2U);

    const document joined = sample::file(
        results, {sample::comparison({sample::pair("cpu.a", "cpu.serial", "faster", 2)})});
    const auto cases = group(joined);
    ASSERT_EQ(cases.size(), 1U);
    EXPECT_EQ(ranked(joined, cases[0]), (std::vector<std::ptrdiff_t>{1, 0}));
}

TEST(cases, tell_of_threads_not_used) {
    document doc = sample::two();
    EXPECT_FALSE(warns(doc, "warning", "Unequal thread counts"));
    doc.results[0].threads_used = 1;
    EXPECT_TRUE(warns(doc, "note", "Unequal thread counts stand side by side: `cpu.slow`"));
    EXPECT_NE(markdown(doc).find("`cpu.slow` (1 thread)"), std::string::npos);
    doc.results[0].vendor.name = "A BLAS";
    EXPECT_TRUE(warns(doc, "warning", "Unequal thread counts"));
}

TEST(cases, lose_no_result_that_no_comparison_names) {
    const document doc =
        sample::file({sample::result("cpu.a", 20), sample::result("cpu.b", 10),
                      sample::result("cpu.alone", 5, 1)},
                     {sample::comparison({sample::pair("cpu.a", "cpu.b", "faster", 2)})});
    const auto cases = group(doc);
    ASSERT_EQ(cases.size(), 2U);
    EXPECT_EQ(cases[1].threads, 1);
    EXPECT_EQ(ranked(doc, cases[1]), std::vector<std::ptrdiff_t>{2});
}

TEST(cases, show_a_gpu_beside_the_cpu_and_in_views_of_its_own) {
    const document doc =
        sample::file({sample::result("cpu.a", 20), sample::result("cuda.b", 900, 0, "cuda")});
    const json written = digest(doc);
    ASSERT_EQ(written["views"].size(), 3U);
    EXPECT_EQ(written["views"][0]["cases"][0]["ranked"], (json{1, 0}));
    EXPECT_EQ(written["views"][1]["cases"][0]["ranked"], json{0});
    EXPECT_EQ(written["views"][2]["cases"][0]["ranked"], json{1});
    EXPECT_EQ(digest(sample::two())["views"].size(), 1U);
    const document alone = sample::file({sample::result("cuda.b", 900, 0, "cuda")});
    EXPECT_EQ(group(alone).front().label(), "f64 100 × 100 × 100");
}

TEST(pairs, read_the_same_both_ways) {
    const document doc = sample::two();
    const auto here = group(doc).front();
    const auto stored = compare(here, "cpu.slow", "cpu.fast");
    const auto turned = compare(here, "cpu.fast", "cpu.slow");
    ASSERT_TRUE(stored && turned);
    EXPECT_EQ(stored->verdict, "slower");
    EXPECT_EQ(turned->verdict, "faster");
    EXPECT_DOUBLE_EQ(turned->ratio, 2.0);
    EXPECT_DOUBLE_EQ(turned->ci95_ratio[0], 1 / 0.51);
    EXPECT_DOUBLE_EQ(turned->ci95_ratio[1], 1 / 0.49);
    EXPECT_FALSE(compare(here, "cpu.fast", "cpu.other"));

    for (const auto& [verdict, turned_verdict] :
         {std::pair{"faster", "slower"}, {"tie", "tie"}, {"unclear", "unclear"}}) {
        const document other =
            sample::file({sample::result("a", 2), sample::result("b", 1)},
                         {sample::comparison({sample::pair("a", "b", verdict, 1.5)})});
        EXPECT_EQ(compare(group(other).front(), "b", "a")->verdict, turned_verdict);
    }
}

TEST(verdicts, name_the_winner_and_how_far_the_others_are) {
    EXPECT_EQ(verdict_of(sample::two()),
              "`cpu.fast` is fastest at 100.0 GFLOP/s (95 % CI 99.00 to 101.0), 50 % of the "
              "measured roofline. The other, `cpu.slow`, takes 2.00× as long (95 % CI 1.96× to "
              "2.04×).");
}

TEST(verdicts, say_what_they_rest_on_and_what_would_settle_them) {
    document doc = sample::two();
    doc.results[1].ci95_gflops = carat::results::unbounded;
    doc.results[1].flop = 2e6;
    carat::results::pair& pair = doc.comparisons[0].pairs[0];
    pair.interval_over = "one process";
    std::string said = verdict_of(doc);
    EXPECT_NE(said.find("fastest at 100.0 GFLOP/s (trials 100.0 to 100.0)"), std::string::npos);
    EXPECT_NE(said.find("(in this process 1.96× to 2.04×)"), std::string::npos) << said;
    EXPECT_NE(said.find("These verdicts hold for this process only"), std::string::npos) << said;
    pair.interval_over = "processes";
    pair.verdict = "unclear";
    pair.more_s = 240;
    said = verdict_of(doc);
    EXPECT_NE(said.find("1 unclear: about 4 minutes more would settle it (--settle)."),
              std::string::npos)
        << said;
    pair.ci95_ratio = carat::results::unbounded;
    said = verdict_of(doc);
    EXPECT_NE(said.find("No interval, and so no verdict: it takes 3 processes"), std::string::npos)
        << said;
}

TEST(verdicts, claim_no_winner_on_a_tie_or_without_evidence) {
    const std::vector<carat::results::result> results{
        sample::result("cpu.a", 100), sample::result("cpu.b", 99.5), sample::result("cpu.c", 98),
        sample::result("cpu.d", 10)};
    const std::string said = verdict_of(sample::file(
        results, {sample::comparison({sample::pair("cpu.a", "cpu.b", "tie", 1.005),
                                      sample::pair("cpu.c", "cpu.a", "unclear", 0.98),
                                      sample::pair("cpu.a", "cpu.d", "faster", 10)})}));
    EXPECT_EQ(said.find("is fastest"), std::string::npos) << said;
    EXPECT_NE(said.find("`cpu.a` and `cpu.b` are equally fast within 2 %"), std::string::npos);
    EXPECT_NE(said.find("can't tell `cpu.c` from `cpu.a`"), std::string::npos) << said;
    EXPECT_NE(said.find("The other, `cpu.d`, takes 10.0× as long"), std::string::npos) << said;
}

TEST(verdicts, claim_no_winner_over_what_no_pair_compares) {
    const std::string said = verdict_of(sample::file(
        {sample::result("cpu.a", 100), sample::result("cpu.b", 50), sample::result("cpu.c", 10)},
        {sample::comparison({sample::pair("cpu.a", "cpu.c", "faster", 10)})}));
    EXPECT_EQ(said.find("is fastest"), std::string::npos) << said;
    EXPECT_NE(said.find("no test compares it with `cpu.b`"), std::string::npos) << said;
}

TEST(verdicts, say_when_nothing_was_compared_or_measured) {
    const std::vector<carat::results::result> results{sample::result("cpu.a", 100),
                                                      sample::result("cpu.b", 50)};
    EXPECT_NE(verdict_of(sample::file(results)).find("no test of the difference"),
              std::string::npos);
    EXPECT_NE(verdict_of(sample::file({results[0]})).find("the only one with a figure"),
              std::string::npos);
    EXPECT_EQ(verdict_of(sample::file({sample::absent("cpu.a", "no")})),
              "No implementation has a figure here.");
    const document nothing = sample::file({});
    EXPECT_EQ(headline(nothing, group(nothing)),
              std::vector<std::string>{"Nothing in this file has a figure."});
}

TEST(verdicts, open_at_the_largest_case_and_count_the_leaders) {
    auto large = sample::result("cpu.large", 70);
    large.m = 1000;
    auto refused = large;
    refused.m = 5000;
    refused.verified = false;
    const document doc = sample::file({sample::result("cpu.small", 60), large, refused});
    const auto cases = group(doc);
    EXPECT_EQ(largest(cases), 1U);
    const std::string said = joined(headline(doc, cases));
    EXPECT_EQ(said.find("On A processor, f64 1000 × 100 × 100 with 2 threads: `cpu.large`"), 0U);
    EXPECT_NE(said.find("Highest median: `cpu.large` in 1 of 2 cases with a figure and `cpu.small` "
                        "in 1."),
              std::string::npos)
        << said;
    auto small = large;
    small.m = 10;
    EXPECT_NE(
        headline(sample::file({large, small})).find("Highest median: cpu.large in both cases."),
        std::string::npos);
}

TEST(warnings, tell_what_weakens_a_run) {
    EXPECT_TRUE(warns(sample::two(), "note", "peaks were not measured"));
    EXPECT_EQ(warnings(sample::two()).size(), 1U);

    document doc = sample::two();
    doc.complete = false;
    doc.machine["hypervisor"] = "KVM";
    doc.build = {{"type", "Debug"}};
    result& of = doc.results[0];
    of.few_trials = true;
    of.stop = "budget";
    of.sd_s = 0.5;
    of.mean_s = 1.0;
    of.vendor.name = "A BLAS";
    of.vendor.kernel = "Haswell";
    of.vendor.note = "set X for `more`";
    EXPECT_TRUE(warns(doc, "warning", "interrupted"));
    EXPECT_TRUE(warns(doc, "warning", "virtual machine (KVM)"));
    EXPECT_TRUE(warns(doc, "warning", "`cpu.slow` chose Haswell"));
    EXPECT_TRUE(warns(doc, "warning", "built for debugging"));
    EXPECT_TRUE(warns(doc, "warning", "1 result with fewer than 20 trials"));
    EXPECT_TRUE(warns(doc, "warning", "stopped by the time budget"));
    EXPECT_TRUE(warns(doc, "warning", "more than 10 %"));
    EXPECT_FALSE(warns(doc, "warning", "Other work"));
    of.background_cpu_share = 0.1;
    EXPECT_FALSE(warns(doc, "warning", "Other work"));
    of.background_cpu_share = 0.625;
    EXPECT_TRUE(warns(doc, "warning", "Other work took up to 62 % of the processors' time"));
    EXPECT_TRUE(warns(doc, "warning", "of 1 result: `cpu.slow`."));
    EXPECT_FALSE(warns(doc, "warning", "roundings in"));
    of.error_over_sqrt_k = 40;
    EXPECT_TRUE(warns(doc, "warning", "Errors up to 40 times sqrt(k) roundings in 1 result"));
    EXPECT_FALSE(warns(doc, "warning", "fewer than three processes"));
    of.ci95_gflops = carat::results::unbounded;
    EXPECT_TRUE(warns(doc, "warning", "1 result from fewer than three processes"));
    EXPECT_TRUE(warns(doc, "note", "`cpu.slow`: set X for 'more'"));
    of.remark = "its threads waited for `one another`";
    EXPECT_TRUE(warns(doc, "note", "its threads waited for 'one another': `cpu.slow`"));
}

// Two undisturbed rows, compared, and a slow one beside which others worked.
document one_disturbed(double slow, double fastest_trial) {
    result disturbed = sample::result("slow", slow);
    disturbed.busy = "its threads waited";
    disturbed.flop = 2e6;
    disturbed.trials_s = {2e-3 / slow, 2e-3 / fastest_trial};
    disturbed.group = "";
    document doc = sample::file({disturbed, sample::result("a", 10), sample::result("b", 20)},
                                {sample::comparison({sample::pair("b", "a", "faster", 2)})});
    for (result& of : doc.results) of.rank = 0;
    return doc;
}

TEST(busy_machines, a_disturbed_row_takes_nothing_from_those_far_from_it) {
    document doc = one_disturbed(0.4, 0.9);
    doc.results[1].rank = 2;
    doc.results[2].rank = 1;
    const measured_case here = group(doc)[0];
    EXPECT_EQ(ranked(doc, here), (std::vector<std::ptrdiff_t>{2, 1, 0}));
    EXPECT_EQ(here.busy, "slow: its threads waited");
    const std::vector<std::string> said = verdict(doc, here);
    ASSERT_EQ(said.size(), 3U);
    EXPECT_EQ(said[0].rfind("`b` is fastest at 20.00 GFLOP/s", 0), 0U) << said[0];
    EXPECT_NE(said[1].find("The next, `a`, takes 2.00×"), std::string::npos) << said[1];
    EXPECT_EQ(said[2],
              "Busy machine: ranks and verdicts that it could change are left out; slow: its "
              "threads waited.");
    const auto rows = ranking_table(doc, here).rows;
    EXPECT_EQ(rows[0][0] + rows[1][0] + rows[2][0], "12-");
    EXPECT_EQ(rows[2][6], "-");
    EXPECT_EQ(pairs_table(doc, here).rows.size(), 1U);
    EXPECT_TRUE(digest(doc)["views"][0]["cases"][0].contains("comparison"));
}

TEST(busy_machines, a_disturbed_row_that_might_lead_takes_the_claim) {
    const document doc = one_disturbed(9, 30);
    const std::vector<std::string> said = verdict(doc, group(doc)[0]);
    EXPECT_EQ(said[0].rfind("`b` has the highest median, 20.00 GFLOP/s", 0), 0U) << said[0];
    EXPECT_NE(said[0].find("can't tell it from `slow`."), std::string::npos) << said[0];
}

TEST(busy_machines, say_who_leads_and_by_how_much_at_least) {
    document doc = sample::two();
    for (result& of : doc.results) of.busy = "other work took 40 %: stop it";
    doc.results[0].background_cpu_share = 0.4;
    doc.comparisons[0].pairs.clear();
    const auto cases = group(doc);
    ASSERT_EQ(cases.size(), 1U);
    const std::vector<std::string> said = verdict(doc, cases[0]);
    ASSERT_EQ(said.size(), 2U);
    EXPECT_NE(said[0].find(", and is at least "), std::string::npos) << said[0];
    EXPECT_EQ(said[1],
              "Busy machine: ranks and verdicts that it could change are left out; other work took "
              "40 %: stop it.");
    EXPECT_NE(headline(doc, cases).front().find(said[0]), std::string::npos);
    EXPECT_TRUE(warns(doc, "warning", "No verdict rests on 2 results of a busy machine"));
    EXPECT_FALSE(warns(doc, "warning", "Other work took"));
    EXPECT_EQ(digest(doc)["views"][0]["cases"][0]["busy"], doc.results[0].busy);
    EXPECT_EQ(ranking_table(doc, cases[0]).rows[1][0], "-");
}

TEST(gpus, are_named_without_threads_and_in_units_of_their_size) {
    document doc = sample::file(
        {sample::result("cuda.engine", 724653, 1, "cuda"),
         sample::result("vendor.cublas", 700000, 1, "cuda")},
        {sample::comparison({sample::pair("cuda.engine", "vendor.cublas", "faster", 1.035)})});
    doc.machine["gpus"] = json::array({{{"name", "NVIDIA H200"}}});
    doc.comparisons[0].threads = 1;
    const measured_case here = group(doc)[0];
    EXPECT_EQ(here.label(), "f64 100 × 100 × 100");
    const std::string said = headline(doc, group(doc)).front();
    EXPECT_EQ(said.rfind("On NVIDIA H200, f64 100 × 100 × 100: ", 0), 0U) << said;
    EXPECT_NE(said.find("724.7 TFLOP/s"), std::string::npos) << said;
    EXPECT_EQ(said.find("thread"), std::string::npos) << said;
    const table ranks = ranking_table(doc, here);
    EXPECT_EQ(ranks.columns[2].head, "TFLOP/s (median)");
    EXPECT_EQ(ranks.rows[0][2], "724.7");
    EXPECT_EQ(ranks.rows[0][3], "717.4 to 731.9");
}

// The terminal, the page and the tables of a paper show these.
TEST(rows, have_rank_verdict_and_times_against_their_base) {
    document doc = sample::two();
    measured_case here = group(doc)[0];
    std::vector<ranked_row> rows = rows_of(here);
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_TRUE(rows[0].is_base);
    EXPECT_EQ(rows[0].rank, 1);
    EXPECT_EQ(rows[0].verdict, "");
    EXPECT_EQ(rows[1].of->implementation, "cpu.slow");
    EXPECT_EQ(rows[1].verdict, "slower");
    EXPECT_DOUBLE_EQ(rows[1].times, 2);
    EXPECT_EQ(rows[1].group, "a");

    rows = rows_of(here, "cpu.slow");
    EXPECT_TRUE(rows[1].is_base);
    EXPECT_EQ(rows[0].verdict, "faster");
    EXPECT_DOUBLE_EQ(rows[0].times, 0.5);
    EXPECT_NEAR(rows[0].pair->ci95_ratio[0], 1 / 0.51, 1e-9);

    doc.results[0].busy = "other work took 40 %";
    doc.comparisons[0].pairs.clear();
    here = group(doc)[0];
    rows = rows_of(here);
    EXPECT_EQ(rows[1].rank, 0);
    EXPECT_EQ(rows[1].verdict, "busy");
    EXPECT_EQ(rows[1].group, "");
    EXPECT_DOUBLE_EQ(rows[1].times, 2);
}

// A row on fewer threads is no nearer to the limit of its case for that.
TEST(rooflines, of_a_case_are_one) {
    document doc =
        sample::file({sample::result("serial", 25, 2), sample::result("threaded", 80, 2)}, {});
    doc.results[0].roofline_gflops = 50;
    doc.results[0].threads_used = 1;
    doc.results[1].roofline_gflops = 100;
    const auto rows = ranking_table(doc, group(doc)[0]).rows;
    EXPECT_EQ(rows[0][4] + " " + rows[1][4], "80.0 25.0");
}

TEST(warnings, put_the_gravest_first) {
    document doc = sample::two();
    doc.complete = false;
    doc.results[0].verified = false;
    std::vector<std::string> levels;
    for (const auto& w : warnings(doc)) levels.push_back(w.level);
    EXPECT_EQ(levels, (std::vector<std::string>{"error", "warning", "note"}));
}

TEST(absences, are_told_once_for_each_reason) {
    const document doc = sample::file({sample::absent("v.a", "no"), sample::absent("v.a", "no"),
                                       sample::absent("v.a", "old"), sample::result("c", 1)});
    const auto found = absences(doc);
    ASSERT_EQ(found.size(), 2U);
    EXPECT_EQ(found[0].results, 2U);
    EXPECT_EQ(found[1].reason, "old");
}

}  // namespace
