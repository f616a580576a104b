#include "lab/report/lead.hpp"

#include <algorithm>

namespace carat::report {

reach reach_within(double low, double median, double high, double fastest_trial, bool disturbed) {
    return {low, median, disturbed ? std::max(high, fastest_trial) : high};
}

std::optional<lead> certain_lead(std::span<const reach> all) {
    if (all.size() < 2) return std::nullopt;
    const auto highest = std::ranges::max_element(all, {}, &reach::median);
    const auto first = static_cast<std::size_t>(highest - all.begin());
    std::size_t next = first == 0 ? 1 : 0;
    for (std::size_t i = 0; i < all.size(); ++i)
        if (i != first && all[i].high > all[next].high) next = i;
    if (!clears(all[first], all[next])) return std::nullopt;
    return lead{first, next, all[first].low / all[next].high};
}

}  // namespace carat::report
