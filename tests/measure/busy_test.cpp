// The rule on invented conditions: who shares processors with whom.
#include "lab/measure/busy.hpp"

#include <gtest/gtest.h>

namespace {

using namespace carat::measure;

struct situation {
    const char* what;
    conditions seen;
    const char* reason;  // its beginning; empty: a verdict may rest on it
};

conditions share(double other, int threads, int cores, int cpus, double passed_s = 4) {
    return {passed_s, other, 0, 5, threads, cores, cpus};
}

// One candidate on a quiet machine with a tick of 4 ms.
conditions of_one(int threads, std::optional<double> waiting, double median_s, double fastest_s,
                  double one_thread_s) {
    conditions seen = share(0, threads, 2, 2);
    seen.threads_of_one = threads;
    seen.waiting_share = waiting;
    seen.median_s = median_s;
    seen.fastest_s = fastest_s;
    seen.tick_s = 4e-3;
    seen.one_thread_s = one_thread_s;
    return seen;
}

// The same while others took this share of two processors.
conditions beside(std::optional<double> other, conditions seen) {
    seen.other_share = other;
    return seen;
}

TEST(reason_against_verdict, holds_over_a_table_of_situations) {
    const situation table[] = {
        {"two threads alone on two cores", share(0, 2, 2, 2), ""},
        {"daemons", share(0.12, 2, 2, 2), ""},
        {"one busy process beside two threads on two cores", share(0.33, 2, 2, 2),
         "other work took 33 % of the processors' time: stop it and measure again"},
        {"one busy process beside one thread on two cores", share(0.5, 1, 2, 2), ""},
        {"two beside one thread on two cores", share(0.67, 1, 2, 2), "other work took 67 %"},
        {"one beside all of 16 cores", share(1.0 / 17, 16, 16, 16), "other work took 6 %"},
        {"one beside 15 threads on 16 cores", share(1.0 / 16, 15, 16, 16), ""},
        {"a core's two hardware threads shared", share(0.06, 8, 8, 16), "other work took 6 %"},
        {"half the cores free", share(0.2, 8, 16, 16), ""},
        {"more threads than cores", share(0.2, 4, 2, 2), "other work took 20 %"},
        {"one core", share(0.3, 1, 1, 1), "other work took 30 %"},
        {"ticks too coarse to tell", share(0.05, 16, 16, 16, 0.5), ""},
        {"coarse, and beyond doubt", share(0.2, 16, 16, 16, 0.5), "other work took 20 %"},
        {"nothing is told", {4, {}, 0, 5, 2, 2, 2}, ""},
        {"nothing was timed", {0, 0.9, 0, 0, 2, 2, 2}, ""},
        {"another guest", {4, 0.4, 0.3, 5, 2, 2, 2}, "the host's other guests took 40 % of the"},
        {"a guest among others", {4, 0.4, 0.1, 5, 2, 2, 2}, "other work took 40 %"},
        {"threads displaced where the system tells no shares",
         {4, {}, 0, 180, 2, 2, 2},
         "its threads lost their processors 180 times a second: stop other work, or ask for fewer"},
        {"threads displaced by each other", {4, 0.01, 0, 250, 1, 16, 16}, ""},
        {"threads displaced by a few on idle cores",
         {4, 0.1, 0, 250, 1, 16, 16},
         "its threads lost"},
        {"now and then", {4, 0.01, 0, 40, 2, 2, 2}, ""},
        {"its threads wait", beside(0.12, of_one(2, 0.23, 1e-3, 1e-3, 0)),
         "its threads waited for a processor 23 % of their time: stop other work, or ask for"},
        {"a thread alone waits", of_one(1, 0.2, 1e-3, 1e-3, 0), "its threads waited"},
        {"they wait, for whom is unknown", beside({}, of_one(2, 0.23, 1e-3, 1e-3, 0)),
         "its threads waited"},
        {"they wait for one another", beside(0.11, of_one(2, 0.23, 1e-3, 1e-3, 0)), ""},
        {"they wait for one another a tick", of_one(2, 0.23, 8.1e-3, 0.07e-3, 0), ""},
        {"two that share a processor lose to one", of_one(2, 0.23, 6e-3, 6e-3, 5e-3), ""},
        {"too little sharing for that", of_one(2, 0.03, 6e-3, 6e-3, 5e-3), "2 threads take 120 %"},
        {"they hardly wait", of_one(2, 0.02, 1e-3, 1e-3, 0), ""},
        {"a tick and some waiting", beside(0.01, of_one(2, 0.02, 4.05e-3, 4e-3, 0)),
         "its time is a multiple of the scheduler's tick of 4 ms"},
        {"two ticks, once far less", of_one(2, {}, 8.1e-3, 0.07e-3, 0), "its time is a multiple"},
        {"as long as a tick by chance", of_one(2, 0.001, 4e-3, 3.9e-3, 0), ""},
        {"between ticks", of_one(2, 0.02, 6e-3, 1e-3, 0), ""},
        {"no tick on one thread", of_one(1, 0.02, 4e-3, 1e-3, 0), ""},
        {"below a tick", of_one(2, 0.02, 0.05e-3, 0.01e-3, 0), ""},
        {"two lose to one", of_one(2, 0, 6e-3, 6e-3, 5e-3),
         "2 threads take 120 % of the time of one: stop other work"},
        {"two as fast as one", of_one(2, 0, 5.2e-3, 5e-3, 5e-3), ""},
        {"short products may lose", of_one(2, 0, 0.9e-3, 0.9e-3, 0.5e-3), ""},
    };
    for (const situation& s : table) {
        const std::string reason = reason_against_verdict(s.seen);
        if (*s.reason == 0)
            EXPECT_EQ(reason, "") << s.what;
        else
            EXPECT_TRUE(reason.starts_with(s.reason)) << s.what << ": " << reason;
    }
}

// A trial of 10 ms on two threads; the tick is 4 ms.
trial_conditions of_trial(std::int64_t displaced, double waited_s, double stolen_s,
                          double run_s = 1e-3, double fastest_s = 1e-3) {
    return {10e-3, run_s, fastest_s, 2, displaced, waited_s, stolen_s, 4e-3};
}

TEST(is_disturbed, tells_what_one_trial_lost_to_others) {
    EXPECT_FALSE(is_disturbed({}));
    EXPECT_FALSE(is_disturbed(of_trial(1, 0.5e-3, 0)));
    EXPECT_TRUE(is_disturbed(of_trial(0, 1.5e-3, 0)));  // of 20 ms of its threads
    EXPECT_TRUE(is_disturbed(of_trial(0, 0, 10e-3)));   // a tick of steal
    EXPECT_FALSE(is_disturbed(of_trial(3, 0, 0)));
    EXPECT_TRUE(is_disturbed(of_trial(4, 0, 0)));
    EXPECT_TRUE(is_disturbed(of_trial(0, 0, 0, 8.1e-3)));  // two ticks, once far less
    EXPECT_FALSE(is_disturbed(of_trial(0, 0, 0, 8.1e-3, 8e-3)));
    EXPECT_TRUE(is_disturbed(of_trial(0, 0.3e-3, 0, 8.1e-3, 8e-3)));
}

// What others took cannot tell either from waiting for one another.
TEST(reason_against_verdict, counts_waiting_that_a_container_may_hide_or_cause) {
    conditions seen = of_one(2, 0.23, 1e-3, 1e-3, 0);
    seen.sees_all = false;
    EXPECT_TRUE(reason_against_verdict(seen).starts_with("its threads waited for a processor"));
    seen.sees_all = true;
    seen.granted_cpus = 1.5;
    EXPECT_TRUE(reason_against_verdict(seen).starts_with("its threads waited for a processor"));
    seen.granted_cpus = 2;
    EXPECT_EQ(reason_against_verdict(seen), "");
    seen = {4, 0.01, 0, 250, 1, 16, 16};
    seen.sees_all = false;
    EXPECT_TRUE(reason_against_verdict(seen).starts_with("its threads lost"));
}

TEST(remark_on, tells_of_threads_that_waited_for_one_another) {
    const char* own = "its threads waited for one another 23 % of their time";
    EXPECT_EQ(remark_on(beside(0.11, of_one(2, 0.23, 1e-3, 1e-3, 0))), own);
    EXPECT_EQ(remark_on(beside(0.12, of_one(2, 0.23, 1e-3, 1e-3, 0))), "");  // for others
    EXPECT_EQ(remark_on(of_one(2, 0.04, 1e-3, 1e-3, 0)), "");
    EXPECT_EQ(remark_on(of_one(1, 0.23, 1e-3, 1e-3, 0)), "");
    EXPECT_EQ(remark_on(of_one(2, {}, 1e-3, 1e-3, 0)), "");
}

TEST(is_disturbed, is_no_trial_whose_threads_waited_for_one_another) {
    trial_conditions seen{10e-3, 8.1e-3, 1e-3, 2, 9, 5e-3, 0, 4e-3};
    EXPECT_TRUE(is_disturbed(seen));
    seen.waits_for_itself = true;
    EXPECT_FALSE(is_disturbed(seen));
    seen.stolen_s = 10e-3;  // the host's doing
    EXPECT_TRUE(is_disturbed(seen));
}

TEST(reason_against_verdict, counts_the_trials_that_were_disturbed) {
    conditions seen = of_one(2, 0.01, 1e-3, 1e-3, 0);
    seen.disturbed_share = 0.25;
    EXPECT_EQ(reason_against_verdict(seen), "");
    seen.disturbed_share = 0.3;
    EXPECT_TRUE(reason_against_verdict(seen).starts_with("others disturbed 30 % of its trials"));
}

}  // namespace
