// Laps of a clock that the test moves.
#include "lab/measure/laps.hpp"

#include <gtest/gtest.h>

namespace {

using namespace carat;

TEST(laps, give_each_part_its_share_of_a_run_and_leave_no_gap) {
    double now_s = 10;
    measure::laps clock([&] { return now_s; });
    const auto run = [&](double first_s, double second_s) {
        clock.start();
        now_s += first_s;
        clock.lap("first");
        now_s += second_s;
        clock.lap("second");
        now_s += 100;  // between runs
    };
    run(7, 7);  // outside any trial
    for (const double time_s : {1.0, 2.0}) {
        clock.begin_trial();
        run(time_s, 3);
        run(time_s + 2, 5);
        clock.end_trial();
        run(7, 7);
    }
    ASSERT_EQ(clock.parts().size(), 2u);
    EXPECT_EQ(clock.parts()[0].name, "first");
    EXPECT_EQ(clock.parts()[0].trials_s, (std::vector<double>{2, 3}));
    EXPECT_EQ(clock.parts()[1].name, "second");
    EXPECT_EQ(clock.parts()[1].trials_s, (std::vector<double>{4, 4}));
}

}  // namespace
