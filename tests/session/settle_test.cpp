// Measuring on until verdicts are clear.
#include "lab/session/settle.hpp"

#include <gtest/gtest.h>

#include "lab/compare/effort.hpp"
#include "tests/compare/measured.hpp"

namespace {

using namespace carat;

session::case_result of_case(std::uint64_t seed) {
    session::case_result found;
    found.results = {measured("a", 1e-3, 5, 10, 0.02, seed),
                     measured("b", 1.035e-3, 5, 10, 0.02, seed + 100)};
    found.compared.measured_s = 10;
    comparing::analyse_results(found.results, {}, found.compared);
    return found;
}

// The first seed whose five processes leave it open, while more would decide it.
std::uint64_t open_seed() {
    for (std::uint64_t seed = 1;; ++seed)
        if (of_case(seed).compared.pairs[0].more_s > 0) return seed;
}

TEST(settle, measures_on_until_the_verdict_is_clear) {
    const std::uint64_t seed = open_seed();
    session::case_result first = of_case(seed);
    ASSERT_EQ(first.compared.pairs[0].verdict, "unclear");
    ASSERT_GE(first.compared.pairs[0].more_s, 10);
    EXPECT_EQ(comparing::unsettled_in(first.results, first.compared).pairs, 1u);
    int measured_again = 0;
    const auto again = [&](int number) {
        EXPECT_EQ(number, ++measured_again);
        return of_case(seed + 1000 * static_cast<std::uint64_t>(number));
    };
    const session::case_result found =
        session::settle(first, {.limit_s = 1000, .analysis = {}}, again);
    EXPECT_EQ(found.compared.pairs[0].verdict, "faster");
    EXPECT_EQ(found.results[0].trials_per_process.size(),
              5 * (1 + static_cast<std::size_t>(measured_again)));
    EXPECT_EQ(found.compared.measured_s, 10 * (1 + measured_again));
    EXPECT_LT(found.compared.alpha, 0.05);  // looking again has its price
    EXPECT_GT(measured_again, 0);
}

TEST(settle, keeps_to_its_limit_and_stops_on_a_busy_machine) {
    const auto never = [](int) -> session::case_result { throw std::logic_error("measured"); };
    EXPECT_EQ(session::settle(of_case(open_seed()), {}, never).results[0].trials_per_process.size(),
              5u);
    EXPECT_EQ(session::settle(of_case(open_seed()), {.limit_s = 9, .analysis = {}}, never)
                  .results[0]
                  .trials_per_process.size(),
              5u);
    int asked = 0;
    const auto busy = [&](int) {
        ++asked;
        session::case_result more = of_case(2);
        for (results::result& c : more.results) c.busy = "other work took 40 %";
        return more;
    };
    const session::case_result found =
        session::settle(of_case(open_seed()), {.limit_s = 15, .analysis = {}}, busy);
    EXPECT_EQ(asked, 1);
    EXPECT_EQ(found.results[0].trials_per_process.size(), 5u);
    EXPECT_TRUE(found.results[0].busy.empty());
}

TEST(settle, of_a_row_alone_narrows_its_interval) {
    session::case_result alone = of_case(1);
    alone.results.pop_back();
    comparing::analyse_results(alone.results, {}, alone.compared);
    EXPECT_GT(comparing::unsettled_in(alone.results, alone.compared, 0.005).more_s, 0);
    EXPECT_EQ(comparing::unsettled_in(alone.results, alone.compared, 0.5).more_s, 0);
}

TEST(settle, knows_no_effort_where_there_is_no_interval) {
    session::case_result few;
    few.results = {measured("a", 1, 1, 3, 0, 1), measured("b", 1, 1, 3, 0, 2)};
    few.compared.measured_s = 10;
    comparing::analyse_results(few.results, {}, few.compared);
    EXPECT_EQ(few.compared.pairs.at(0).more_s, 0);
    EXPECT_EQ(comparing::unsettled_in(few.results, few.compared).hopeless, 1u);
}

TEST(settle, adds_rounds_to_one_process) {
    std::vector<results::result> c{measured("a", 1, 1, 10, 0, 1)};
    session::add_trials(c, {measured("a", 1, 1, 10, 0, 2), measured("b", 1, 1, 10, 0, 2)});
    ASSERT_EQ(c.size(), 1u);
    EXPECT_EQ(c[0].trials_s.size(), 20u);
    EXPECT_TRUE(c[0].trials_per_process.empty());
}

}  // namespace
