#include "lab/compare/analyse.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <vector>

#include "lab/compare/effort.hpp"
#include "lab/statistics/anova.hpp"
#include "lab/statistics/autocorrelation.hpp"
#include "lab/statistics/hypothesis.hpp"
#include "lab/statistics/summary.hpp"

namespace carat::comparing {

namespace {

using statistics::processes;

results::range range_of(const statistics::interval& i) {
    return {i.lower, i.upper};
}

// Times become rates, and the ends of an interval change places.
results::range rates(double flop, const results::range& times_s) {
    if (!results::bounded(times_s)) return results::unbounded;
    return {flop / times_s[1] / 1e9, flop / times_s[0] / 1e9};
}

// The interval of the processes' means, on a log scale like that of their medians.
statistics::interval interval_of_mean(const processes& of) {
    std::vector<double> means;
    for (const statistics::trials_view trials : of)
        if (!trials.empty()) means.push_back(statistics::mean(trials));
    processes one_each;
    for (const double& mean : means) one_each.emplace_back(&mean, 1);
    return statistics::exponential(statistics::t_interval(statistics::centre_of(one_each)));
}

// An interval speaks of processes, or there is none: what one process's trials spread is between
// min_s and max_s.
void set_intervals(results::result& c, const processes& of) {
    const statistics::estimate centre = statistics::centre_of(of);
    // One process: the median itself, to the last bit.
    c.median_s = of.size() == 1 ? statistics::median(c.trials_s) : std::exp(centre.value);
    c.median_gflops = c.flop / c.median_s / 1e9;
    if (c.roofline_gflops > 0) c.percent_of_roofline = 100 * c.median_gflops / c.roofline_gflops;
    c.ci_method.clear();
    c.ci95_median_s = c.ci95_mean_s = c.ci95_gflops = results::unbounded;
    if (!centre.bounded()) return;
    c.ci_method = fmt::format("t over {} processes", centre.replicates);
    c.ci95_median_s = range_of(exponential(t_interval(centre)));
    c.ci95_mean_s = range_of(interval_of_mean(of));
    c.ci95_gflops = rates(c.flop, c.ci95_median_s);
}

void summarize_result(results::result& c) {
    const statistics::summary s = statistics::summarize(c.trials_s);
    c.mean_s = s.mean;
    c.sd_s = s.standard_deviation;
    c.min_s = s.minimum;
    c.max_s = s.maximum;
    c.few_trials = s.few_trials;
    c.autocorrelation = statistics::measure_autocorrelation(c.trials_s).lag1;
    set_intervals(c, processes_of(c));
}

std::string_view name_of(statistics::scope scope) {
    switch (scope) {
        case statistics::scope::several_processes:
            return "processes";
        case statistics::scope::one_process:
            return "one process";
        case statistics::scope::none:
            break;
    }
    return "";
}

results::pair pair_of(const results::result& a, const results::result& b,
                      const statistics::pair_comparison& p) {
    results::pair out;
    out.a = a.implementation;
    out.b = b.implementation;
    out.df = p.difference.df;
    out.p = p.found.p;
    out.interval_over = name_of(p.difference.of);
    // Statistics compared times; throughput is their inverse.
    out.ratio = 1 / p.found.ratio;
    out.confidence = p.found.confidence;
    if (p.difference.bounded()) out.ci95_ratio = {1 / p.found.ci.upper, 1 / p.found.ci.lower};
    out.verdict = to_string(p.found.outcome);
    return out;
}

// Welch's analysis of variance: whether anything differs at all. Log times, effective sizes.
void add_welch(std::span<const results::result* const> ranked, results::comparison& compared) {
    std::vector<std::string> names;
    for (const results::result* c : ranked) names.push_back(c->implementation);
    const statistics::hypothesis words = statistics::describe_anova(names, "log time");
    const statistics::welch_result found = statistics::welch_anova(log_moments(ranked));
    compared.h0 = words.null;
    compared.h1 = words.alternative;
    compared.f = found.f;
    compared.df1 = found.df1;
    compared.df2 = found.df2;
    compared.p = found.p;
}

statistics::comparison_options options_of(const analysis_options& how,
                                          std::span<const results::result* const> ranked) {
    statistics::comparison_options o;
    o.family.alpha = how.alpha;
    o.family.equivalence_margin = how.equivalence_margin;
    for (std::size_t i = 0; i < ranked.size(); ++i)
        if (ranked[i]->implementation == how.base) o.base = i;
    return o;
}

// Other work makes a product slower and never faster: undisturbed it would have taken between its
// fastest trial and what it took.
results::range times_without_disturbance(const results::result& c) {
    results::range of = extent_of(c).s;
    if (!c.busy.empty()) of[0] = std::min(of[0], c.min_s);
    return of;
}

// The place of a row that was not disturbed, `ahead` of its kind being before it; 0 where one that
// was disturbed might belong on either side of it.
int place_among(const results::result& row, std::size_t ahead,
                std::span<const results::result* const> disturbed) {
    const results::range own = times_without_disturbance(row);
    int place = static_cast<int>(ahead) + 1;
    for (const results::result* other : disturbed) {
        const results::range times = times_without_disturbance(*other);
        if (times[1] < own[0])
            ++place;
        else if (times[0] <= own[1])
            return 0;
    }
    return place;
}

}  // namespace

processes processes_of(const results::result& c) {
    return statistics::by_process(c.trials_s, c.trials_per_process);
}

extent_of_median extent_of(const results::result& c) {
    const bool interval = results::bounded(c.ci95_median_s);
    return {interval ? c.ci95_median_s : results::range{c.min_s, c.max_s}, interval};
}

std::vector<statistics::moments> log_moments(std::span<const results::result* const> of) {
    std::vector<statistics::moments> known;
    for (const results::result* c : of) {
        std::vector<double> logs(c->trials_s.size());
        std::ranges::transform(c->trials_s, logs.begin(), [](double t) { return std::log(t); });
        known.push_back(
            statistics::effective_moments(statistics::by_process(logs, c->trials_per_process)));
    }
    return known;
}

void analyse_results(std::span<results::result> results, const analysis_options& how,
                     results::comparison& compared) {
    std::vector<results::result*> ranked;
    std::vector<const results::result*> disturbed;
    std::vector<processes> groups;
    for (results::result& c : results) {
        c.rank = 0;
        c.group.clear();
        if (c.trials_s.empty()) continue;
        summarize_result(c);
        if (!c.verified || c.above_peak) continue;
        if (!c.busy.empty()) {
            disturbed.push_back(&c);
            continue;
        }
        ranked.push_back(&c);
        groups.push_back(processes_of(c));
    }
    compared.alpha = how.alpha;
    compared.pairs.clear();
    if (ranked.empty()) return;
    const std::vector<const results::result*> seen(ranked.begin(), ranked.end());
    add_welch(seen, compared);
    const statistics::comparison_options options = options_of(how, seen);
    compared.base = options.base ? how.base : "";
    const statistics::comparison found = statistics::compare(groups, options);
    for (std::size_t place = 0; place < found.order.size(); ++place) {
        const std::size_t i = found.order[place];
        ranked[i]->rank = place_among(*ranked[i], place, disturbed);
        ranked[i]->group = found.letters[i];
    }
    for (const statistics::pair_comparison& p : found.pairs)
        compared.pairs.push_back(pair_of(*ranked[p.first], *ranked[p.second], p));
    add_effort(found, how, compared);
}

}  // namespace carat::comparing
