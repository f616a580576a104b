// The drift between invented sessions.
#include "lab/statistics/drift.hpp"

#include <gtest/gtest.h>
#include <random>
#include <vector>

#include "lab/statistics/family.hpp"

namespace carat::statistics {
namespace {

// So many cases measured in two sessions, whose clocks differ from case to case by `drift`.
std::vector<estimate> differences(std::size_t cases, double drift, unsigned seed) {
    std::mt19937_64 draw(seed);
    std::normal_distribution<double> unit;
    constexpr double error = 0.015;
    std::vector<estimate> all(cases);
    for (estimate& one : all)
        one = {drift * unit(draw) + error * unit(draw), error, 8, scope::several_processes, 5};
    return all;
}

TEST(drift, is_found_as_large_as_it_is_and_none_where_there_is_none) {
    EXPECT_LT(drift_of(differences(400, 0, 1)), 0.008);
    EXPECT_NEAR(drift_of(differences(400, 0.03, 2)), 0.03, 0.006);
    EXPECT_EQ(drift_of(differences(400, 0.2, 3)), most_drift);
    EXPECT_EQ(drift_of({}), 0);
    EXPECT_EQ(drift_of(std::vector<estimate>(9, {0, 0, 8, scope::several_processes, 5})), 0);
}

TEST(drift, that_is_allowed_for_claims_no_change_and_hides_no_large_one) {
    int claims = 0, without = 0;
    constexpr int tables = 200;
    for (unsigned seed = 1; seed <= tables; ++seed) {
        std::vector<estimate> all = differences(60, 0.045, seed);
        const auto count = [&] {
            int found = 0;
            for (const judged& one : judge_family(all))
                found += one.outcome == verdict::faster || one.outcome == verdict::slower ? 1 : 0;
            return found;
        };
        without += count();
        all[0].value = 0.5;
        const double drift = drift_of(all);
        for (estimate& one : all) one = across_sessions(one, drift);
        EXPECT_NE(judge_family(all)[0].outcome, verdict::unclear);
        claims += count() - 1;
    }
    EXPECT_GT(without, tables);
    EXPECT_LT(claims, tables / 20);
}

TEST(drift, is_no_part_of_a_difference_without_an_error) {
    EXPECT_FALSE(across_sessions({0.5}, 0.05).bounded());
    const estimate one = across_sessions({0.1, 0.03, 4, scope::several_processes, 5}, 0.04);
    EXPECT_DOUBLE_EQ(one.error, 0.05);
    EXPECT_NEAR(one.df, 4 / (0.36 * 0.36), 1e-9);
}

}  // namespace
}  // namespace carat::statistics
