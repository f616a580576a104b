// Decides whether a figure was taken on a busy machine, so that no verdict may rest on it. A pure
// rule over what background_load.hpp saw during the trials.
//
// Threads that share a processor with other work wait for it, a scheduler's slice at a time, and a
// product on several threads waits for the last of them. So one busy process makes a figure random
// although its interval looks narrow: barriers that wait for a tick do so every time. Work that
// finds idle cores disturbs little and is only reported. The same holds for threads of one product
// that share a processor while nobody else wants one, since it always runs like that here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace carat::measure {

struct conditions {
    double passed_s = 0;
    // The share of all processors' time taken by other processes and by the hypervisor's other
    // guests (`stolen_share` is the latter); none if unknown.
    std::optional<double> other_share;
    double stolen_share = 0;
    // Preemptions of this process, by others or by its own threads, per second of processor time it
    // used.
    double displaced_per_s = 0;
    int threads = 1;  // of what was measured
    int cores = 1;    // those that may be used, and the hardware threads on them
    int cpus = 1;
    // These are of one candidate alone; 0 or none means unknown.
    int threads_of_one = 1;
    std::optional<double> waiting_share = {};  // of its threads' time, without a processor
    double median_s = 0, fastest_s = 0;        // of its runs
    double tick_s = 0;                         // the scheduler's
    double one_thread_s = 0;                   // median where it had one thread
    double disturbed_share = 0;                // of its trials
    // Containers may see only their own use, and get less than their processors.
    bool sees_all = true;     // whether `other_share` is of whoever runs there
    double granted_cpus = 0;  // processors' worth of time; 0: no limit
};

struct trial_conditions {
    double time_s = 0;                    // of all its runs
    double run_s = 0, fastest_run_s = 0;  // of one, here and in the best trial
    int threads = 1;
    std::int64_t displaced = 0;  // times a thread lost its processor
    double waited_s = 0;         // by its threads, ready and without a processor
    double stolen_s = 0;         // by the hypervisor's other guests
    double tick_s = 0;           // the scheduler's; 0: unknown
    // Whether this candidate's threads waited for each other, as waits_for_itself() says for all
    // trials.
    bool waits_for_itself = false;
};

/// Whether its threads wait for one another: other processes took too little to explain it.
[[nodiscard]] bool waits_for_itself(const conditions& seen);

/// Whether others took enough of one trial to explain its time.
[[nodiscard]] bool is_disturbed(const trial_conditions& seen);

/// The scheduler's period for checking a running thread.
[[nodiscard]] double tick_s();

/// Why the machine was too busy for a verdict, with the remedy: "other work took 37 % of the
/// processors' time: stop it and measure again". Empty if it was not.
[[nodiscard]] std::string reason_against_verdict(const conditions& seen);

/// A remark on a figure that a verdict may rest on: "its threads waited for one another 31 % of
/// their time". May be empty.
[[nodiscard]] std::string remark_on(const conditions& seen);

}  // namespace carat::measure
