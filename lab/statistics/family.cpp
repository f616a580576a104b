// See family.hpp.
#include "lab/statistics/family.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

#include "lab/statistics/check.hpp"

namespace carat::statistics {

namespace {

// The distance of the estimate from where the verdict changes.
double distance_to_edge(const estimate& difference, double margin) {
    return std::abs(std::abs(difference.value) - std::log1p(margin));
}

// The alpha whose interval just ends at the edge of the margin.
double deciding_alpha(const estimate& difference, double margin) {
    if (difference.error == 0) return 0;
    const boost::math::students_t_distribution<> t(difference.df);
    return 2 * cdf(complement(t, distance_to_edge(difference, margin) / difference.error));
}

interval constrained(interval ratio, verdict outcome) {
    if (outcome == verdict::faster || outcome == verdict::slower) return ratio;
    return {std::min(1.0, ratio.lower), std::max(1.0, ratio.upper)};
}

judged unbounded(const estimate& difference) {
    return {std::exp(difference.value), {0, std::numeric_limits<double>::infinity()}};
}

judged at_level(const estimate& difference, double alpha, const family_options& options) {
    judged found{std::exp(difference.value), {}, 1 - alpha};
    const interval ratio = exponential(t_interval(difference, found.confidence));
    found.outcome = judge(ratio, options);
    found.ci = constrained(ratio, found.outcome);
    return found;
}

}  // namespace

std::string_view to_string(verdict value) {
    switch (value) {
        case verdict::faster:
            return "faster";
        case verdict::slower:
            return "slower";
        case verdict::tie:
            return "tie";
        case verdict::unclear:
            return "unclear";
    }
    return "unclear";
}

verdict judge(interval ratio, const family_options& options) {
    const double widest = 1 + options.equivalence_margin;
    if (ratio.within({1 / widest, widest})) return verdict::tie;
    const bool above = ratio.lower > widest, below = ratio.upper < 1 / widest;
    if (!above && !below) return verdict::unclear;
    return below == (options.preference == better::smaller) ? verdict::faster : verdict::slower;
}

std::vector<judged> judge_family(std::span<const estimate> differences,
                                 const family_options& options) {
    detail::require_open_unit(options.alpha, "alpha");
    detail::require(options.equivalence_margin >= 0,
                    "equivalence_margin is {:g}: give 0 or more, such as 0.02 for 2 %",
                    options.equivalence_margin);
    std::vector<judged> found(differences.size());
    std::vector<double> alone(differences.size(), 1);
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < differences.size(); ++i) {
        found[i] = unbounded(differences[i]);
        if (!differences[i].bounded()) continue;
        alone[i] = deciding_alpha(differences[i], options.equivalence_margin);
        order.push_back(i);
    }
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return alone[i]; });
    double p = 0;
    std::size_t undecided = order.size();
    for (const std::size_t i : order) {
        p = std::min(1.0, std::max(p, static_cast<double>(undecided) * alone[i]));
        found[i] =
            at_level(differences[i], options.alpha / static_cast<double>(undecided), options);
        found[i].p = p;
        if (found[i].outcome != verdict::unclear) --undecided;
    }
    return found;
}

std::optional<double> effort_to_reach(double half_width, const estimate& of, double confidence,
                                      double most) {
    detail::require_open_unit(confidence, "confidence");
    if (!of.bounded()) return std::nullopt;
    const auto now = static_cast<double>(of.replicates);
    const auto limit = static_cast<std::size_t>(most * now);
    for (std::size_t n = of.replicates; n <= limit; ++n) {
        const double times = static_cast<double>(n) / now;
        const double df = of.df * static_cast<double>(n - 1) / (now - 1);
        const boost::math::students_t_distribution<> t(df);
        const double reach =
            quantile(complement(t, (1 - confidence) / 2)) * of.error / std::sqrt(times);
        if (reach < half_width) return times;
    }
    return std::nullopt;
}

std::optional<double> effort_to_settle(const estimate& difference, double confidence,
                                       double equivalence_margin, double most) {
    return effort_to_reach(distance_to_edge(difference, equivalence_margin), difference, confidence,
                           most);
}

}  // namespace carat::statistics
