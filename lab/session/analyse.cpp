#include "lab/session/analyse.hpp"

#include <algorithm>
#include <vector>

#include "lab/statistics/bootstrap.hpp"
#include "lab/statistics/comparison.hpp"
#include "lab/statistics/hypothesis.hpp"
#include "lab/statistics/summary.hpp"

namespace carat::session {

namespace {

results::range range_of(const statistics::interval& i) {
    return {i.lower, i.upper};
}

// Times become rates, and the ends of an interval change places. No time is below zero: where
// nothing bounds it, neither is the rate bounded above.
results::range rates(double flop, const results::range& times_s) {
    return {flop / times_s[1] / 1e9, flop / std::max(times_s[0], 0.0) / 1e9};
}

void summarize_result(results::result& c, std::uint64_t seed) {
    const statistics::summary s = statistics::summarize(c.trials_s);
    statistics::bootstrap_options how;
    how.seed = seed;
    const statistics::bootstrap_result b = statistics::bootstrap(c.trials_s, how);
    c.mean_s = s.mean;
    c.sd_s = s.standard_deviation;
    c.min_s = s.minimum;
    c.max_s = s.maximum;
    c.median_s = s.median;
    c.few_trials = s.few_trials;
    c.ci95_median_s = range_of(b.median.percentile);
    c.ci95_mean_s = range_of(b.mean.bca);
    c.autocorrelation = b.lag1;
    c.ci_method = b.block_length > 1 ? "block bootstrap: median percentile, mean BCa"
                                     : "bootstrap: median percentile, mean BCa";
    c.median_gflops = c.flop / c.median_s / 1e9;
    c.ci95_gflops = rates(c.flop, c.ci95_median_s);
}

statistics::comparison_options options_of(const analysis_options& how) {
    statistics::comparison_options o;
    o.alpha = how.alpha;
    o.equivalence_margin = how.equivalence_margin;
    o.bootstrap.seed = how.seed;
    return o;
}

std::string_view opposite(statistics::verdict v) {
    if (v == statistics::verdict::faster) return to_string(statistics::verdict::slower);
    if (v == statistics::verdict::slower) return to_string(statistics::verdict::faster);
    return to_string(v);
}

results::pair pair_of(const results::result& a, const results::result& b,
                      const statistics::pair_comparison& p) {
    results::pair out;
    out.a = a.implementation;
    out.b = b.implementation;
    out.q = p.test.q;
    out.df = p.test.df;
    out.p = p.test.p;
    out.effect_size = p.test.effect_size;
    // Statistics compared times; throughput is their inverse.
    out.ratio = 1 / p.ratio.ratio.estimate;
    out.ci95_ratio = {1 / p.ratio.ratio.percentile.upper, 1 / p.ratio.ratio.percentile.lower};
    out.verdict = to_string(p.outcome);
    return out;
}

}  // namespace

void analyse_results(std::span<results::result> results, const analysis_options& how,
                     results::comparison& compared) {
    std::vector<results::result*> ranked;
    std::vector<statistics::trials_view> groups;
    std::vector<std::string> names;
    for (results::result& c : results) {
        if (c.trials_s.empty()) continue;
        summarize_result(c, how.seed);
        if (!c.verified || c.above_peak || !c.busy.empty()) continue;
        ranked.push_back(&c);
        groups.emplace_back(c.trials_s);
        names.push_back(c.implementation);
    }
    compared.alpha = how.alpha;
    if (ranked.empty()) return;
    const statistics::comparison found = statistics::compare(groups, options_of(how));
    const statistics::hypothesis words = statistics::describe_anova(names, "log time", how.alpha);
    compared.h0 = words.null;
    compared.h1 = words.alternative;
    compared.f = found.anova.f;
    compared.df1 = found.anova.df1;
    compared.df2 = found.anova.df2;
    compared.p = found.anova.p;
    for (std::size_t place = 0; place < found.order.size(); ++place) {
        const std::size_t i = found.order[place];
        ranked[i]->rank = static_cast<int>(place) + 1;
        ranked[i]->group = found.letters[i];
    }
    for (const statistics::pair_comparison& p : found.pairs)
        compared.pairs.push_back(pair_of(*ranked[p.test.first], *ranked[p.test.second], p));
}

change compare_results(const results::result& before, const results::result& after,
                       const analysis_options& how) {
    const std::vector<statistics::trials_view> groups = {before.trials_s, after.trials_s};
    const statistics::comparison found = statistics::compare(groups, options_of(how));
    const statistics::pair_comparison& p = found.pairs.front();
    change c;
    c.ratio = p.ratio.ratio.estimate;  // time before / time after = throughput after / before
    c.ci95_ratio = range_of(p.ratio.ratio.percentile);
    c.p = p.test.p;
    c.verdict = opposite(p.outcome);
    return c;
}

}  // namespace carat::session
