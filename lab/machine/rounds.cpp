#include "lab/machine/rounds.hpp"

#include <algorithm>
#include <chrono>

namespace carat::machine {

namespace {

using monotonic = std::chrono::steady_clock;

double seconds_since(monotonic::time_point begin) {
    return std::chrono::duration<double>(monotonic::now() - begin).count();
}

std::vector<double> ranked(const repeated& one) {
    std::vector<double> sorted = one.rates;
    std::sort(sorted.begin(), sorted.end(), std::greater<>());
    return sorted;
}

// Whether another round came within 1 % of the best.
bool settled(const repeated& one) {
    const std::vector<double> sorted = ranked(one);
    return sorted.size() > 1 && sorted[1] > 0.99 * sorted[0];
}

// Finds the repetitions that last about `round_s`, from the shortest time of any thread in three
// rounds; a longer one may be a stall.
void calibrate(repeated& one, double round_s) {
    for (;; one.repetitions *= 4) {
        const auto shortest_s = [&] { return one.run(one.repetitions).shortest_s; };
        const double elapsed_s = std::min({shortest_s(), shortest_s(), shortest_s()});
        if (elapsed_s < round_s / 10) continue;
        one.is_long = one.repetitions == 1 && elapsed_s > 4 * round_s;
        const double factor = std::max(1.0, round_s / elapsed_s);
        one.repetitions = static_cast<std::int64_t>(static_cast<double>(one.repetitions) * factor);
        return;
    }
}

void measure_round(repeated& one, double round_s) {
    shared_time elapsed = one.run(one.repetitions);
    // The round is too short, as calibration met only stalls; its figure would be mostly clock.
    while (elapsed.shortest_s < round_s / 2) {
        one.repetitions *= 2;
        elapsed = one.run(one.repetitions);
    }
    one.rates.push_back(one.amount * static_cast<double>(one.repetitions) / elapsed.span_s);
}

// Measures all items in turn for two thirds of the budget, and at least three times. The rest is
// for items whose best round stands alone, which on a busy machine is probably not yet the limit.
// Long items come last, since they would take the time of many others.
void sweep(std::span<repeated> items, double budget_s, double round_s,
           const measure_options& options) {
    constexpr std::size_t least_sweeps = 3;
    const auto begin = monotonic::now();
    for (bool more = true; more;) {
        more = false;
        for (repeated& one : items) {
            const double spent_s = seconds_since(begin);
            const bool due = one.rates.size() < least_sweeps ||
                             (spent_s < budget_s * 2 / 3 && !one.is_long) ||
                             (spent_s < budget_s && !settled(one));
            if (!due) continue;
            more = true;
            measure_round(one, round_s);
            if (options.on_progress)
                options.on_progress({std::min(1.0, spent_s / budget_s),
                                     std::max(0.0, budget_s - spent_s), "measuring the machine"});
        }
    }
}

}  // namespace

double repeated::best() const {
    return *std::max_element(rates.begin(), rates.end());
}

double repeated::spread() const {
    const std::vector<double> sorted = ranked(*this);
    return 1 - sorted[sorted.size() / 2] / sorted.front();
}

void measure_in_rounds(std::span<repeated> items, double budget_s, const measure_options& options) {
    const auto begin = monotonic::now();
    const double usual_s = options.thorough ? 0.003 : 0.001;
    const double round_s = options.round_s > 0 ? options.round_s : usual_s;
    for (repeated& one : items) calibrate(one, round_s);
    sweep(items, std::max(0.1, budget_s - seconds_since(begin)), round_s, options);
}

peaks stamped(peaks found, const measure_options& options) {
    found.measured_at_s = std::chrono::duration_cast<std::chrono::seconds>(
                              std::chrono::system_clock::now().time_since_epoch())
                              .count();
    found.thorough = options.thorough;
    return found;
}

}  // namespace carat::machine
