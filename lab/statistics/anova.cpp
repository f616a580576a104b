// See anova.hpp. Welch's statistic is written with each group's share of the total weight, w/W,
// so that a group without spread (infinite weight) enters by its limit.
#include "lab/statistics/anova.hpp"

#include <algorithm>
#include <boost/math/distributions/fisher_f.hpp>
#include <cmath>
#include <limits>

namespace carat::statistics {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

struct weighted {
    std::vector<double> shares;  // of the total weight, sum 1
    double centre = 0;           // weighted mean
    double between = 0;          // sum of weight * (mean - centre)^2
};

// Weights relative to the largest, so that they cannot overflow. Groups without spread share all
// of it equally: the limit of equal vanishing variances.
weighted weigh(std::span<const moments> groups) {
    const double sharpest = std::ranges::min(groups, {}, &moments::error_squared).error_squared();
    weighted result;
    double total = 0;
    for (const auto& group : groups) {
        const double error = group.error_squared();
        result.shares.push_back(error == sharpest ? 1 : sharpest / error);
        total += result.shares.back();
    }
    const double origin = groups.front().mean;
    for (std::size_t i = 0; i < groups.size(); ++i) {
        result.shares[i] /= total;
        result.centre += result.shares[i] * (groups[i].mean - origin);
    }
    result.centre += origin;
    for (const auto& group : groups) {
        const double distance = group.mean - result.centre;
        if (group.variance > 0) result.between += distance * distance / group.error_squared();
    }
    return result;
}

// Means of constant groups are exact, so any two that differ separate them beyond doubt.
bool constants_differ(std::span<const moments> groups) {
    const auto constant = [](const auto& group) { return group.variance == 0; };
    const auto first = std::ranges::find_if(groups, constant);
    return std::any_of(first, groups.end(), [&](const auto& group) {
        return constant(group) && group.mean != first->mean;
    });
}

}  // namespace

welch_result welch_anova(std::span<const trials_view> groups) {
    std::vector<moments> known;
    for (const trials_view group : groups) known.push_back(moments_of(group));
    return welch_anova(known);
}

welch_result welch_anova(std::span<const moments> groups) {
    std::vector<moments> sized;
    welch_result result;
    for (const moments& known : groups) {
        result.few_trials |= known.n < enough_trials;
        if (known.df > 0) sized.push_back(known);
    }
    result.groups = sized.size();
    result.df2 = infinity;
    if (sized.size() < 2) return result;

    const auto k = static_cast<double>(sized.size());
    const weighted sum = weigh(sized);
    double lambda = 0;
    for (std::size_t i = 0; i < sized.size(); ++i) {
        lambda += (1 - sum.shares[i]) * (1 - sum.shares[i]) / sized[i].df;
    }
    result.df1 = k - 1;
    result.df2 = (k * k - 1) / (3 * lambda);
    result.f = constants_differ(sized)
                   ? infinity
                   : sum.between / (k - 1) / (1 + 2 * (k - 2) * lambda / (k * k - 1));
    const boost::math::fisher_f null_distribution(result.df1, result.df2);
    result.p = std::isinf(result.f) ? 0 : cdf(complement(null_distribution, result.f));
    return result;
}

}  // namespace carat::statistics
