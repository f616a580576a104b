#include "benchmarks/fit/launch.hpp"

#include <algorithm>
#include <cmath>

namespace carat::fit {

namespace {

// The longer of two that run at once, and a little more where they are alike.
double longer(double x, double y) {
    x *= x;
    y *= y;
    return std::sqrt(std::sqrt(x * x + y * y));
}

// A step of `together` CTAs on an SM, `active` on the GPU.
double step_s(const launch_work& work, const sharing_costs& costs, double together, double active) {
    const double math = together * work.step_math_s;
    const double l2 = active * work.step_bytes / costs.l2_bytes_per_s;
    return longer(longer(math, l2), work.step_floor_s);
}

double tiles_s(const launch_work& work, const sharing_costs& costs) {
    const double waves = work.ctas / work.places;
    const double rounds = work.shares_last_wave ? waves : std::ceil(waves);
    return rounds * work.steps * step_s(work, costs, 1, std::min(work.ctas, work.places)) +
           work.tile_s * (rounds * (1 - work.hidden_share) + work.hidden_share);
}

// CTAs that share an SM hide each other's beginnings and ends.
double round_s(const launch_work& work, const sharing_costs& costs, double together,
               double active) {
    const double body = work.steps * step_s(work, costs, together, active);
    const double ends = work.fill_s + work.tile_s;
    if (together <= 1) return body + ends;
    return longer(body + costs.seen_share * ends, body / together * costs.alone_factor + ends);
}

double rounds_s(const launch_work& work, const sharing_costs& costs) {
    const double at_once = work.places * work.on_sm;
    const double full = std::floor(work.ctas / at_once);
    const double left = work.ctas - full * at_once;
    double seconds = 0;
    if (full > 0) seconds += full * round_s(work, costs, work.on_sm, at_once);
    if (left > 0) seconds += round_s(work, costs, std::ceil(left / work.places), left);
    return seconds;
}

}  // namespace

double time_of(const launch_work& work, const sharing_costs& costs) {
    const double ctas_s = work.is_persistent ? tiles_s(work, costs) : rounds_s(work, costs);
    const double memory_s =
        std::max(0.0, work.memory_bytes - costs.l2_bytes) / costs.memory_bytes_per_s;
    return work.launch_s + ctas_s + memory_s + work.once_s + work.ahead_s;
}

}  // namespace carat::fit
