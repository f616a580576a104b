// The measuring loop with candidates that have their own clock: nothing depends on this machine's
// speed.
#include "lab/measure/interleave.hpp"

#include <algorithm>
#include <cstdlib>
#include <gtest/gtest.h>
#include <random>
#include <string>

namespace {

using namespace carat;

// A space whose time passes only when a candidate runs.
class fake_clock final : public space::execution_space {
  public:
    void* allocate(std::size_t size_bytes) override { return std::malloc(size_bytes); }
    void deallocate(void* memory) noexcept override { std::free(memory); }
    void upload(void*, const void*, std::size_t) override {}
    void download(void*, const void*, std::size_t) override {}
    [[nodiscard]] std::size_t available_bytes() const override { return 0; }
    double time_s(const std::function<void()>& work) override {
        const double start = now_s;
        work();
        return now_s - start;
    }

    double now_s = 0;
};

class interleave : public testing::Test {
  protected:
    // A candidate that takes run_s, and writes `letter` to the log at every run.
    measure::candidate taking(double run_s, char letter) {
        return {[this, run_s, letter] {
                    clock.now_s += run_s;
                    log += letter;
                },
                &clock};
    }

    fake_clock clock;
    std::string log;
    measure::options how;
};

TEST_F(interleave, a_fixed_number_of_trials_is_exact_and_times_one_run) {
    how.trials = 7;
    const measure::candidate both[] = {taking(1e-3, 'a'), taking(2e-3, 'b')};
    const double estimates[] = {1e-3, 2e-3};
    const auto all = measure::interleave(both, estimates, how);
    ASSERT_EQ(all.size(), 2u);
    for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_EQ(all[i].stop, measure::stop_reason::trials);
        ASSERT_EQ(all[i].trials_s.size(), 7u);
        for (const double t : all[i].trials_s) EXPECT_NEAR(t, i == 0 ? 1e-3 : 2e-3, 1e-12);
    }
    EXPECT_EQ(all[0].repetitions, 5);
    EXPECT_EQ(all[1].repetitions, 3);
}

TEST_F(interleave, only_the_timed_runs_lie_between_the_ends_of_a_trial) {
    how.trials = 3;
    measure::candidate one = taking(1e-3, 'a');
    one.trial_begins = [&] { log += '('; };
    one.trial_ends = [&] { log += ')'; };
    const double estimates[] = {1e-3};
    const auto all = measure::interleave({&one, 1}, estimates, how);
    const std::string timed =
        "(" + std::string(static_cast<std::size_t>(all[0].repetitions), 'a') + ")";
    std::size_t found = 0;
    for (auto at = log.find(timed); at != std::string::npos; at = log.find(timed, at + 1)) ++found;
    EXPECT_EQ(found, 3u) << log;
    EXPECT_EQ(std::ranges::count(log, '('), 3);
    EXPECT_GT(std::ranges::count(log, 'a'), 3 * all[0].repetitions);  // settling, outside
}

TEST_F(interleave, equal_times_stop_on_evidence_at_the_fewest_trials) {
    const measure::candidate one[] = {taking(1e-3, 'a')};
    const double estimates[] = {1e-3};
    const auto all = measure::interleave(one, estimates, how);
    EXPECT_EQ(all[0].stop, measure::stop_reason::evidence);
    EXPECT_EQ(all[0].trials_s.size(), static_cast<std::size_t>(how.fewest_trials));
}

TEST_F(interleave, the_budget_stops_what_never_settles_down) {
    std::minstd_rand random;
    const measure::candidate wobbly[] = {
        {[&] { clock.now_s += 1e-3 + 1e-6 * static_cast<double>(random() % 2000); }, &clock}};
    const double estimates[] = {1e-3};
    how.min_trial_s = 1e-6;
    how.settle_s = 1e-6;
    how.budget_s = 0.5;
    how.most_trials = 1'000'000;
    const auto all = measure::interleave(wobbly, estimates, how);
    EXPECT_EQ(all[0].stop, measure::stop_reason::budget);
    EXPECT_LT(clock.now_s, 0.6);
    EXPECT_GT(clock.now_s, 0.49);
}

TEST_F(interleave, a_slow_candidate_gets_its_few_trials_whatever_the_budget) {
    const measure::candidate slow[] = {taking(100, 's')};
    const double estimates[] = {100};
    const auto all = measure::interleave(slow, estimates, how);
    EXPECT_EQ(all[0].stop, measure::stop_reason::budget);
    EXPECT_EQ(all[0].trials_s.size(), static_cast<std::size_t>(how.fewest_at_any_cost));
    EXPECT_EQ(log, "sss");  // no run goes untimed when one takes minutes
}

TEST_F(interleave, trials_alternate_in_an_order_that_only_the_seed_decides) {
    how.trials = 20;
    const auto order_with = [&](std::uint64_t seed) {
        how.seed = seed;
        log.clear();
        const measure::candidate both[] = {taking(1, 'a'), taking(1, 'b')};
        const double estimates[] = {1, 1};
        (void)measure::interleave(both, estimates, how);
        return log;
    };
    const std::string first = order_with(1);
    EXPECT_EQ(first, order_with(1));
    EXPECT_NE(first, order_with(2));
    // Never more than two in a row of one kind: rounds, not blocks; and both orders occur.
    EXPECT_EQ(first.find("aaa"), std::string::npos);
    EXPECT_EQ(first.find("bbb"), std::string::npos);
    EXPECT_NE(first.find("aa"), std::string::npos);
    EXPECT_EQ(std::ranges::count(first, 'a'), 20);
}

TEST_F(interleave, an_interruption_keeps_the_trials_so_far) {
    how.trials = 100;
    how.interrupted = [&] { return std::ranges::count(log, 'a') >= 5; };
    const measure::candidate both[] = {taking(1, 'a'), taking(1, 'b')};
    const double estimates[] = {1, 1};
    const auto all = measure::interleave(both, estimates, how);
    EXPECT_EQ(all[0].stop, measure::stop_reason::interrupted);
    EXPECT_EQ(all[0].trials_s.size(), 5u);
    EXPECT_GE(all[1].trials_s.size(), 4u);
}

TEST_F(interleave, short_runs_are_settled_untimed_before_every_trial) {
    how.trials = 3;
    how.min_trial_s = 5e-3;
    how.settle_s = 1e-3;
    const measure::candidate one[] = {taking(1e-3, 'a')};
    const double estimates[] = {1e-3};
    const auto all = measure::interleave(one, estimates, how);
    // Two runs to calibrate, then one to settle and five timed for each trial.
    EXPECT_EQ(log.size(), 2u + 3u * 6u);
    EXPECT_EQ(all[0].repetitions, 5);
}

TEST_F(interleave, silence_is_awaited_before_each_trial_and_its_settling) {
    how.trials = 2;
    how.wait_until_idle = [&] { log += '.'; };
    const measure::candidate one[] = {taking(1, 'a')};
    const double estimates[] = {1};
    (void)measure::interleave(one, estimates, how);
    EXPECT_EQ(log, ".a.a");
}

}  // namespace
