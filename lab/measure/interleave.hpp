// The measuring loop. It runs and times candidates without knowing what they do.
//
// A trial is as many consecutive runs as last `min_trial_s`. The trials of all candidates are
// interleaved in rounds, in a new random order each round, so that a drifting machine (clocks,
// neighbours, temperature) drifts for all alike. The n-th trials of all belong to one round: a
// candidate with enough evidence continues until all have it, and only a spent budget ends one
// before the others. Before each trial the threads of the previous candidate are left to fall
// asleep; then the trial's own candidate runs untimed once or more, which brings back its data and
// threads.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lab/space/execution_space.hpp"

namespace carat::measure {

struct candidate {
    std::function<void()> run;  // one product; rotates its own inputs if it wants to
    space::execution_space* space = nullptr;
    // Called before and after the timed runs of each trial, untimed; may be empty.
    std::function<void()> trial_begins = {};
    std::function<void()> trial_ends = {};
    // Replaces `run` and the clock of `space` for candidates in another process: makes this many
    // consecutive runs and returns their seconds.
    std::function<double(std::int64_t)> time_runs = {};
    std::int64_t repetitions = 0;  // as earlier trials had; 0: to be found
};

enum class stop_reason { evidence, trials, budget, failed, interrupted };

[[nodiscard]] std::string_view name(stop_reason reason);

struct series {
    std::vector<double> trials_s;  // seconds for one run, in the order measured
    std::int64_t repetitions = 1;  // runs in one trial
    stop_reason stop = stop_reason::interrupted;
    std::string failure = {};  // what it threw, where it failed
};

struct options {
    int trials = 0;          // exactly this many; 0: stop on evidence
    double ci_width = 0.01;  // evidence: half width of the 95 % interval over the median, of all
    int fewest_trials = 10;  // before evidence or the budget may stop a candidate ...
    int fewest_at_any_cost = 3;  // ... unless it has spent its budget: then this many do
    int most_trials = 1000;
    double min_trial_s = 5e-3;
    double settle_s = 1e-3;                 // untimed runs before a trial last at least this long
    double budget_s = 5;                    // for each candidate, its untimed runs included
    std::uint64_t seed = 1;                 // of the order
    std::function<void()> wait_until_idle;  // before each trial, see idle.hpp; empty: don't wait
    std::function<bool()> interrupted;      // asked between trials; true ends the loop
    // Called after each trial with the candidate, its trials so far, and the share of the work done
    // (0 to 1).
    std::function<void(std::size_t, std::size_t, double)> progress;
};

// One series for each candidate, in order. `estimates_s` receives the first measured time of each
// candidate's run (warm or cold), from which the repetitions follow.
[[nodiscard]] std::vector<series> interleave(std::span<const candidate> candidates,
                                             std::span<const double> estimates_s,
                                             const options& how);

}  // namespace carat::measure
