#include "lab/measure/interleave.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <numeric>
#include <random>

#include "lab/statistics/interval.hpp"

namespace carat::measure {

std::string_view name(stop_reason reason) {
    switch (reason) {
        case stop_reason::evidence:
            return "evidence";
        case stop_reason::trials:
            return "trials";
        case stop_reason::budget:
            return "budget";
        case stop_reason::failed:
            return "failed";
        case stop_reason::interrupted:
            return "interrupted";
    }
    return "?";
}

namespace {

// Fisher-Yates with its own index draw: std::shuffle differs between standard libraries, and a
// recorded seed must give the same order everywhere.
void shuffle(std::vector<std::size_t>& order, std::mt19937_64& random) {
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random() % i]);
}

class loop {
  public:
    loop(std::span<const candidate> candidates, std::span<const double> estimates_s,
         const options& how)
        : candidates_(candidates), how_(how), random_(how.seed), state_(candidates.size()) {
        for (std::size_t i = 0; i < state_.size(); ++i) {
            state_[i].run_s = estimates_s[i];
            state_[i].result.repetitions = std::max<std::int64_t>(1, candidates[i].repetitions);
        }
    }

    std::vector<series> finish() {
        std::vector<std::size_t> active(state_.size());
        std::iota(active.begin(), active.end(), std::size_t{0});
        while (!active.empty() && !stopped()) {
            shuffle(active, random_);
            for (const std::size_t i : active) {
                if (stopped()) break;
                try {
                    trial(i);
                } catch (const std::exception& failure) {
                    state_[i].result.failure = failure.what();
                    stop(state_[i], stop_reason::failed);
                }
            }
            std::erase_if(active, [&](std::size_t i) { return state_[i].done; });
            if (std::ranges::all_of(active, [&](std::size_t i) { return state_[i].convinces; })) {
                for (const std::size_t i : active) stop(state_[i], stop_reason::evidence);
                active.clear();
            }
            std::ranges::sort(active);  // so that the next order depends on the seed alone
        }
        std::vector<series> all;
        for (progress_of& s : state_) all.push_back(std::move(s.result));
        return all;
    }

  private:
    struct progress_of {
        series result;
        double run_s = 0;    // the latest idea of one run's time
        double spent_s = 0;  // timed and untimed
        bool calibrated = false;
        bool convinces = false;  // evidence enough
        bool done = false;
    };

    [[nodiscard]] bool stopped() const { return how_.interrupted && how_.interrupted(); }

    double timed_s(std::size_t i, std::int64_t repetitions) {
        const candidate& c = candidates_[i];
        const double taken = c.time_runs ? c.time_runs(repetitions) : c.space->time_s([&] {
            for (std::int64_t r = 0; r < repetitions; ++r) c.run();
        });
        state_[i].spent_s += taken;
        return taken;
    }

    [[nodiscard]] std::int64_t runs_lasting(std::size_t i, double time_s) const {
        const double run_s = std::max(state_[i].run_s, 1e-9);
        return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(time_s / run_s)));
    }

    // A run that takes longer than this needs no settling, as disturbances pass within it. The
    // verified run warms the first trial of a long run.
    [[nodiscard]] bool needs_settling(std::size_t i) const {
        return state_[i].run_s < 100 * how_.settle_s;
    }

    void settle(std::size_t i) {
        const std::int64_t runs = runs_lasting(i, how_.settle_s);
        state_[i].run_s = timed_s(i, runs) / static_cast<double>(runs);
    }

    // Determines the repetitions from warm runs, so that every trial has the same number.
    void calibrate(std::size_t i) {
        if (needs_settling(i)) {
            settle(i);
            settle(i);
        }
        if (candidates_[i].repetitions == 0)
            state_[i].result.repetitions = runs_lasting(i, how_.min_trial_s);
        state_[i].calibrated = true;
    }

    void trial(std::size_t i) {
        progress_of& s = state_[i];
        if (how_.wait_until_idle) how_.wait_until_idle();
        if (!s.calibrated) calibrate(i);
        if (needs_settling(i)) settle(i);
        const candidate& c = candidates_[i];
        if (c.trial_begins) c.trial_begins();
        const double taken = timed_s(i, s.result.repetitions);
        if (c.trial_ends) c.trial_ends();
        s.run_s = taken / static_cast<double>(s.result.repetitions);
        s.result.trials_s.push_back(s.run_s);
        decide(s);
        if (how_.progress) how_.progress(i, s.result.trials_s.size(), share_done());
    }

    static void stop(progress_of& s, stop_reason why) {
        s.result.stop = why;
        s.done = true;
    }

    void decide(progress_of& s) const {
        const auto n = static_cast<int>(s.result.trials_s.size());
        if (how_.trials > 0) {
            if (n >= how_.trials) stop(s, stop_reason::trials);
            return;
        }
        if (s.spent_s >= how_.budget_s) {
            if (n >= how_.fewest_at_any_cost) stop(s, stop_reason::budget);
        } else if (n >= how_.most_trials) {
            stop(s, stop_reason::budget);
        } else {
            s.convinces = n >= how_.fewest_trials && narrow_enough(s.result.trials_s);
        }
    }

    [[nodiscard]] bool narrow_enough(std::span<const double> trials_s) const {
        const auto m = statistics::median_ci_order_statistics(trials_s);
        return statistics::relative_half_width(m.ci, m.median) <= how_.ci_width;
    }

    [[nodiscard]] double share_done() const {
        double done = 0;
        for (const progress_of& s : state_) {
            const auto n = static_cast<double>(s.result.trials_s.size());
            const double share =
                how_.trials > 0 ? n / how_.trials
                                : std::min(s.spent_s / how_.budget_s, n / how_.fewest_at_any_cost);
            done += s.done ? 1 : std::min(share, 1.0);
        }
        return done / static_cast<double>(state_.size());
    }

    std::span<const candidate> candidates_;
    const options& how_;
    std::mt19937_64 random_;
    std::vector<progress_of> state_;
};

}  // namespace

std::vector<series> interleave(std::span<const candidate> candidates,
                               std::span<const double> estimates_s, const options& how) {
    return loop(candidates, estimates_s, how).finish();
}

}  // namespace carat::measure
