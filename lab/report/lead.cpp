#include "lab/report/lead.hpp"

#include <algorithm>

namespace carat::report {

namespace {

reach reach_of(const results::result& of) {
    const results::range trials =
        range_of_trials(of).value_or(results::range{of.median_gflops, of.median_gflops});
    const auto [low, high] = has_interval(of) ? of.ci95_gflops : trials;
    return {low, of.median_gflops, is_disturbed(of) ? std::max(high, trials[1]) : high};
}

}  // namespace

bool has_interval(const results::result& of) {
    return results::bounded(of.ci95_gflops);
}

std::optional<results::range> range_of_trials(const results::result& of) {
    if (!(of.flop > 0) || of.trials_s.empty()) return std::nullopt;
    const auto [least, most] = std::ranges::minmax(of.trials_s);
    return results::range{of.flop / most / 1e9, of.flop / least / 1e9};
}

std::vector<reach> reaches_of(const measured_case& here) {
    std::vector<reach> all;
    for (const results::result* of : here.ranked) all.push_back(reach_of(*of));
    return all;
}

std::optional<lead> certain_lead(const measured_case& here) {
    if (here.ranked.size() < 2) return std::nullopt;
    const std::vector<reach> all = reaches_of(here);
    std::size_t next = 1;
    for (std::size_t i = 2; i < all.size(); ++i)
        if (all[i].high > all[next].high) next = i;
    if (!clears(all.front(), all[next])) return std::nullopt;
    return lead{here.ranked[next], all.front().low / all[next].high};
}

}  // namespace carat::report
