#include "lab/scale_out/outcome.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>

namespace {

using namespace carat::scale_out;

entry timed(const std::string& name, double efficiency) {
    entry e{.name = name, .seconds = {2e-3, 1e-3, 3e-3}, .flop = 4e9};
    e.is_answer = name == "carat";
    e.efficiency = efficiency;
    return e;
}

// What the page says first.
std::string findings(const comparison& of) {
    const std::string html = page({"?", "of one", "", false, {of}}, "carat bench --distributed");
    const std::string begin = "id=\"results\">";
    const std::size_t from = html.find(begin) + begin.size();
    const auto all = nlohmann::json::parse(html.substr(from, html.find("</script>", from) - from));
    std::string said;
    for (const std::string one : all["studies"][0]["findings"]) said += one + " ";
    return said;
}

TEST(outcomes, say_what_the_answer_takes_and_its_share_if_that_is_known) {
    EXPECT_EQ(findings({"Two", {timed("local", 1), timed("carat", 0.875)}}),
              "Two: carat takes 2.00 ms, 87.5 % of one. ");
    // One GPU alone, which the share is of, may have failed.
    EXPECT_EQ(findings({"Two", {timed("carat", -1)}}), "Two: carat takes 2.00 ms. ");
    EXPECT_EQ(findings({"Two", {timed("local", 1)}}), "Two: no answer. ");
}

TEST(outcomes, count_wrong_entries) {
    entry wrong = timed("carat", 1);
    wrong.wrong_entries = 1;
    EXPECT_NE(text({"Two", {wrong}}, "of one").find("carat is WRONG in 1 entry.\n"),
              std::string::npos);
    wrong.wrong_entries = 12;
    EXPECT_NE(text({"Two", {wrong}}, "of one").find("carat is WRONG in 12 entries.\n"),
              std::string::npos);
    EXPECT_EQ(findings({"Two", {wrong}}), "carat is WRONG in 12 entries. Two: no answer. ");
}

TEST(outcomes, have_intervals_of_order_statistics) {
    const summary of = summary_of({9, 1, 8, 2, 7, 3, 6, 4, 5});
    EXPECT_EQ(of.median, 5);
    EXPECT_EQ(of.lower, 2);
    EXPECT_EQ(of.upper, 8);
    EXPECT_FALSE(of.is_range);
}

// No two of them hold the median with 95 %.
TEST(outcomes, have_the_range_of_few_trials) {
    const summary of = summary_of({5e-3, 1e-3, 3e-3, 2e-3, 4e-3});
    EXPECT_EQ(of.lower, 1e-3);
    EXPECT_EQ(of.upper, 5e-3);
    EXPECT_TRUE(of.is_range);
    EXPECT_FALSE(summary_of({5, 1, 3, 2, 4, 6}).is_range);
    EXPECT_EQ(summary_of({4}).lower, 4);
    entry few = timed("carat", 1);
    few.seconds = of;
    const std::string said = text({"Two", {few}}, "of one");
    EXPECT_NE(said.find(" to "), std::string::npos) << said;
    EXPECT_EQ(said.find("CI"), std::string::npos) << said;
}

}  // namespace
