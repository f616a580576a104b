// How implementations stand over many products.
#include "lab/report/standing.hpp"

#include <gtest/gtest.h>

#include "lab/report/report.hpp"
#include "sample.hpp"

namespace {

using namespace carat::report;

// Twenty products: `fast` is twice as fast as `slow` but in the last, where it is half as fast.
sample::document twenty() {
    sample::document doc = sample::file({});
    for (int i = 1; i <= 20; ++i) {
        auto fast = sample::result("cpu.fast", i < 20 ? 100 : 25);
        auto slow = sample::result("cpu.slow", 50);
        fast.m = slow.m = 100 + i;
        doc.results.push_back(fast);
        doc.results.push_back(slow);
    }
    return doc;
}

TEST(standings, give_mean_slow_end_and_worst_case) {
    const sample::document doc = twenty();
    const auto all = standings(group(doc));
    ASSERT_EQ(all.size(), 2U);
    const standing& fast = all[0];
    EXPECT_EQ(fast.implementation, "cpu.fast");
    EXPECT_EQ(fast.population, "f64, 2 threads");
    EXPECT_EQ(fast.cases, 20U);
    EXPECT_NEAR(fast.geomean, std::exp2(18.0 / 20), 1e-9);
    EXPECT_LT(fast.ci95[0], fast.geomean);
    EXPECT_GE(fast.ci95[1], fast.geomean);
    EXPECT_NEAR(fast.worst, 0.5, 1e-9);
    EXPECT_NEAR(fast.p5, 2, 1e-9);
    EXPECT_NEAR(fast.leading_share, 0.95, 1e-9);
    EXPECT_EQ(fast.worst_case, "120 × 100 × 100");
    EXPECT_NEAR(all[1].geomean, 1 / fast.geomean, 1e-9);
}

TEST(standings, need_ten_products_with_another_beside) {
    sample::document doc = twenty();
    doc.results.resize(18);
    EXPECT_TRUE(standings(group(doc)).empty());
    sample::document alone = twenty();
    std::erase_if(alone.results, [](const auto& r) { return r.implementation == "cpu.slow"; });
    EXPECT_TRUE(standings(group(alone)).empty());
}

TEST(standings, are_in_the_markdown_and_nowhere_where_there_are_none) {
    EXPECT_NE(markdown(twenty()).find("## Over all products"), std::string::npos);
    EXPECT_EQ(markdown(sample::two()).find("Over all products"), std::string::npos);
}

}  // namespace
