#include "cli/effort.hpp"

#include "cli/checks.hpp"

namespace carat::cli {

void add_effort_flags(CLI::App& sub, effort_flags& flags, const std::string& unit) {
    sub.add_option("--trials", flags.trials, "how many to take (default: until --ci-width is met)")
        ->check(whole_number(2, 100000));
    sub.add_option("--ci-width", flags.ci_width,
                   "half width of the median's 95 % interval, relative")
        ->check(number(1e-4, 0.5))
        ->capture_default_str();
    sub.add_option("--budget", flags.budget_s, "seconds for each implementation and " + unit)
        ->check(number(0.01, 1e6))
        ->capture_default_str();
    auto* limit = sub.add_option("--limit", flags.limit_s,
                                 "skip what would take more seconds than this for one run")
                      ->check(not_negative());
    if (flags.limit_s > 0) limit->capture_default_str();
    sub.add_option(
           "--processes", flags.processes,
           "how many processes share the trials: of each CPU implementation, and of all GPU "
           "implementations together; 0: all in this process")
        ->check(whole_number(0, 100))
        ->capture_default_str();
    sub.add_option("--seed", flags.seed, "of data, order and resampling")
        ->check(whole_number(0))
        ->capture_default_str();
}

void add_settle_flag(CLI::App& sub, double& settle_s, const std::string& where) {
    sub.add_option("--settle", settle_s,
                   "where " + where + ", keep measuring for up to this many seconds a case")
        ->expected(0, 1)
        ->default_str(usual_settle_s)
        ->option_text("[SECONDS] (off; alone: " + std::string(usual_settle_s) + ")")
        ->check(number(0, 1e6));
}

void set_effort(request::measurement& r, const effort_flags& flags) {
    r.timing.trials = flags.trials;
    r.timing.ci_width = flags.ci_width;
    r.timing.budget_s = flags.budget_s;
    r.slowest_run_s = flags.limit_s;
    r.settle_s = flags.settle_s;
    r.seed = flags.seed;
    r.processes = flags.processes;
}

}  // namespace carat::cli
