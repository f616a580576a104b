#include "lab/compare/effort.hpp"

#include <algorithm>
#include <cmath>

namespace carat::comparing {

namespace {

unsettled too_wide(std::span<const results::result> results, const results::comparison& compared,
                   double ci_width) {
    const auto alone = std::ranges::find(results, 1, &results::result::rank);
    if (alone == results.end() || compared.measured_s <= 0) return {};
    const auto times = statistics::effort_to_reach(
        std::log1p(ci_width), statistics::centre_of(processes_of(*alone)), 1 - compared.alpha);
    if (!times || *times <= 1) return {};
    return {.pairs = 1, .hopeless = 0, .more_s = (*times - 1) * compared.measured_s};
}

}  // namespace

void add_effort(const statistics::comparison& found, const analysis_options& how,
                results::comparison& compared) {
    for (std::size_t i = 0; i < found.pairs.size(); ++i) {
        const statistics::pair_comparison& p = found.pairs[i];
        compared.pairs[i].more_s = 0;
        if (p.found.outcome != statistics::verdict::unclear || !p.difference.bounded() ||
            compared.measured_s <= 0)
            continue;
        const auto times =
            statistics::effort_to_settle(p.difference, p.found.confidence, how.equivalence_margin);
        if (times) compared.pairs[i].more_s = std::max(1.0, *times - 1) * compared.measured_s;
    }
}

unsettled unsettled_in(std::span<const results::result> results,
                       const results::comparison& compared, double ci_width) {
    if (compared.pairs.empty()) return too_wide(results, compared, ci_width);
    std::string against = compared.base;
    for (const results::result& c : results)
        if (against.empty() && c.rank == 1) against = c.implementation;
    unsettled found;
    for (const results::pair& p : compared.pairs) {
        if (p.verdict != "unclear" || (p.a != against && p.b != against)) continue;
        ++found.pairs;
        if (p.more_s <= 0) ++found.hopeless;
        found.more_s = std::max(found.more_s, p.more_s);
    }
    return found;
}

}  // namespace carat::comparing
