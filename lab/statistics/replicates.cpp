// See replicates.hpp.
#include "lab/statistics/replicates.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <numeric>

#include "lab/statistics/check.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/summary.hpp"

namespace carat::statistics {

namespace {

double log_median(trials_view trials) {
    const std::vector<double> sorted = sorted_trials(trials);
    detail::require(sorted.front() > 0, "smallest trial is {:g}: a ratio needs positive trials",
                    sorted.front());
    return std::log(quantile_of_sorted(sorted, 0.5));
}

estimate mean_of(std::span<const double> replicates, scope of) {
    const moments known = moments_of(replicates);
    return {known.mean, std::sqrt(known.error_squared()), known.df, of, replicates.size()};
}

// How many blocks to make of so many rounds: of twenty, so that neighbours hardly remember each
// other, but six at least, or t would be wide for want of blocks.
std::size_t blocks_of(std::size_t rounds) {
    return std::clamp<std::size_t>(rounds / 20, fewest_rounds, 30);
}

std::vector<double> block_differences(trials_view a, trials_view b) {
    const std::size_t rounds = a.size(), blocks = blocks_of(rounds);
    std::vector<double> differences;
    for (std::size_t i = 0; i < blocks; ++i) {
        const std::size_t from = i * rounds / blocks, size = (i + 1) * rounds / blocks - from;
        differences.push_back(log_median(a.subspan(from, size)) -
                              log_median(b.subspan(from, size)));
    }
    return differences;
}

estimate unbounded_difference(const processes& a, const processes& b) {
    return {.value = centre_of(a).value - centre_of(b).value};
}

estimate in_one_process(trials_view a, trials_view b) {
    const std::size_t rounds = std::min(a.size(), b.size());
    a = a.first(rounds);
    b = b.first(rounds);
    if (rounds < fewest_rounds) return unbounded_difference({a}, {b});
    return mean_of(block_differences(a, b), scope::one_process);
}

std::vector<double> joined(const processes& of) {
    std::vector<double> all;
    for (const trials_view trials : of) all.insert(all.end(), trials.begin(), trials.end());
    return all;
}

}  // namespace

processes by_process(trials_view trials, std::span<const std::int64_t> per_process) {
    if (per_process.empty()) return {trials};
    const std::int64_t total =
        std::accumulate(per_process.begin(), per_process.end(), std::int64_t{0});
    detail::require(
        std::ranges::min(per_process) >= 0 && total == static_cast<std::int64_t>(trials.size()),
        "trials per process add up to {}, and there are {} trials", total, trials.size());
    processes cut;
    for (const std::int64_t count : per_process) {
        cut.push_back(trials.first(static_cast<std::size_t>(count)));
        trials = trials.subspan(static_cast<std::size_t>(count));
    }
    return cut;
}

interval t_interval(const estimate& of, double confidence) {
    detail::require_open_unit(confidence, "confidence");
    if (!of.bounded()) return {};
    const boost::math::students_t_distribution<> t(of.df);
    const double reach =
        of.error == 0 ? 0 : quantile(complement(t, (1 - confidence) / 2)) * of.error;
    return {of.value - reach, of.value + reach};
}

interval exponential(interval logs) {
    return {std::exp(logs.lower), std::exp(logs.upper)};
}

std::vector<double> log_medians(const processes& of) {
    std::vector<double> logs;
    for (const trials_view trials : of)
        if (!trials.empty()) logs.push_back(log_median(trials));
    detail::require(!logs.empty(), "there are no trials: give at least one");
    return logs;
}

estimate centre_of(const processes& of) {
    const std::vector<double> logs = log_medians(of);
    if (logs.size() >= fewest_processes) return mean_of(logs, scope::several_processes);
    return {.value = mean(logs)};
}

estimate paired_difference(const processes& a, const processes& b) {
    if (a.size() == 1 || b.size() == 1) return in_one_process(joined(a), joined(b));
    std::vector<double> differences;
    for (std::size_t g = 0; g < std::min(a.size(), b.size()); ++g) {
        const std::size_t rounds = std::min(a[g].size(), b[g].size());
        if (rounds == 0) continue;
        differences.push_back(log_median(a[g].first(rounds)) - log_median(b[g].first(rounds)));
    }
    if (differences.size() < fewest_processes) return unbounded_difference(a, b);
    return mean_of(differences, scope::several_processes);
}

estimate unpaired_difference(const processes& a, const processes& b) {
    const estimate first = centre_of(a), second = centre_of(b);
    estimate found{.value = first.value - second.value};
    if (!first.bounded() || !second.bounded()) return found;
    const double x = first.error * first.error, y = second.error * second.error;
    found.error = std::sqrt(x + y);
    found.replicates = std::min(first.replicates, second.replicates);
    found.of = scope::several_processes;
    // Shares of the total, so that tiny variances can't underflow when squared.
    const double share = x + y > 0 ? x / (x + y) : 0.5;
    found.df = 1 / (share * share / first.df + (1 - share) * (1 - share) / second.df);
    return found;
}

}  // namespace carat::statistics
