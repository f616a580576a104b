#include "distributed/bound.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace carat::distributed {

double least_words(const task& what) {
    std::array<double, 3> d{};
    std::ranges::transform(what.size.of, d.begin(),
                           [](std::int64_t x) { return static_cast<double>(x); });
    std::ranges::sort(d, std::greater<>());
    const double p = what.ranks;
    if (d[2] == 0) return 0;
    double needed = 3 * std::pow(what.size.volume() / p, 2.0 / 3);
    if (p <= d[0] / d[1])
        needed = (d[0] * d[1] + d[0] * d[2]) / p + d[1] * d[2];
    else if (p <= d[0] * d[1] / (d[2] * d[2]))
        needed = 2 * std::sqrt(d[0] * d[1] / p) * d[2] + d[0] * d[1] / p;
    double least = needed - what.size.faces() / p;
    if (const double memory = what.memory_words; memory > 0)
        least = std::max(least, 2 * what.size.volume() / (p * std::sqrt(memory)) - 2 * memory);
    return std::max(0.0, least);
}

}  // namespace carat::distributed
