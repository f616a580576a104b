// What the system says of this process's threads: sums over those there are, never less than
// before.
#include "lab/process/scheduling.hpp"

#include <gtest/gtest.h>

namespace {

using namespace carat::process;

TEST(scheduling, waiting_is_summed_over_threads_that_live) {
    const scheduling before{0, {{1, 5'000'000}, {2, 7'000'000}}};
    const scheduling now{3, {{1, 6'000'000}, {3, 2'000'000}}};  // 2 has ended, 3 is new
    EXPECT_DOUBLE_EQ(*waited_s(before, now), 3e-3);
    EXPECT_DOUBLE_EQ(*waited_s(before, before), 0);
}

TEST(scheduling, is_unknown_where_the_system_does_not_tell) {
    EXPECT_FALSE(waited_s({}, {}));
    EXPECT_FALSE(waited_s({0, {{1, 5}}}, {}));
}

TEST(scheduling, of_this_process_never_falls) {
    const scheduling before = scheduling_so_far();
    const scheduling now = scheduling_so_far();
    EXPECT_GE(now.displaced, before.displaced);
    if (before.waited_ns.empty()) GTEST_SKIP() << "this system has no schedstat";
    EXPECT_GE(*waited_s(before, now), 0);
}

}  // namespace
