#include "plan/launch.hpp"

#include <algorithm>
#include <cmath>

namespace carat::plan {

namespace {

// What two take that run at once: the longer one, and more where they are alike, as neither then
// keeps its unit busy all the time.
double both(double x, double y) {
    return std::sqrt(x * x + y * y);
}

// The same of two bounds on one thing, which meet in a narrower corner.
double either(double x, double y) {
    return std::sqrt(both(x * x, y * y));
}

class waves {
  public:
    waves(const launch_work& work, const sharing_costs& costs) : work_(work), costs_(costs) {}

    [[nodiscard]] launch_time time() {
        add_rounds();
        const double bytes = work_.memory_bytes - work_.left_bytes;
        told_.memory_s = missing_share(bytes, costs_.l2_bytes) * bytes / costs_.memory_bytes_per_s;
        told_.launch_s = work_.launch_s + crowded_s();
        told_.once_s = work_.once_s;
        told_.ahead_s = work_.ahead_s;
        const double running_s = both(rounds_s_, told_.memory_s);
        const double longest_s = std::max({told_.math_s, told_.l2_s, told_.memory_s});
        told_.tiles_s = std::clamp(running_s - longest_s, 0.0, tiles_s_);
        told_.waits_s = running_s - longest_s - told_.tiles_s;
        told_.seconds = told_.launch_s + running_s + told_.once_s + told_.ahead_s;
        return told_;
    }

  private:
    // CTAs of the next launch begin early while half of the places are free.
    [[nodiscard]] double crowded_s() const {
        const double taken = work_.ctas / (work_.places * work_.on_sm);
        return costs_.crowded_s * std::clamp((taken - 0.5) / 0.1, 0.0, 1.0);
    }

    // A step of `together` CTAs on an SM, `active` on the GPU. Clocks fall as more SMs multiply.
    [[nodiscard]] double step_s(double together, double active, double rounds) {
        const double busy = std::min(1.0, active / work_.places);
        const double math = std::max(together * work_.step_math_s, work_.step_alone_s) *
                            (1 + costs_.busy_share * busy);
        const double l2 = active * work_.step_bytes / costs_.l2_bytes_per_s;
        told_.math_s += rounds * work_.steps * math;
        told_.l2_s += rounds * work_.steps * l2;
        return both(both(both(math, together * work_.step_arrival_s), l2), work_.step_floor_s);
    }

    // CTAs that share an SM hide each other's beginnings and ends. A persistent one fills its
    // pipeline with the next tile's operands while it stores this tile.
    void add_round(double together, double active, double rounds) {
        const double body = work_.steps * step_s(together, active, rounds);
        const double ends = work_.tile_s + (work_.is_persistent ? 0 : work_.fill_s);
        const double all = together > 1 ? either(body + costs_.seen_share * ends,
                                                 body / together * costs_.alone_factor + ends)
                                        : body + ends;
        rounds_s_ += rounds * all;
        tiles_s_ += rounds * std::max(0.0, all - body);
    }

    void add_rounds() {
        const double at_once = work_.places * work_.on_sm;
        told_.at_once = std::min(work_.ctas, at_once);
        told_.waves = work_.ctas / at_once;
        if (work_.is_persistent) rounds_s_ = tiles_s_ = work_.fill_s;
        if (work_.shares_last_wave) {
            const double ends = std::ceil(told_.waves) * work_.tile_s;
            rounds_s_ += told_.waves * work_.steps * step_s(1, at_once, told_.waves) + ends;
            tiles_s_ += ends;
            return;
        }
        const double full = std::floor(told_.waves);
        const double left = work_.ctas - full * at_once;
        if (full > 0) add_round(work_.on_sm, at_once, full);
        if (left > 0) add_round(std::ceil(left / work_.places), left, 1);
    }

    const launch_work& work_;
    const sharing_costs& costs_;
    launch_time told_;
    double rounds_s_ = 0;  // of all rounds of CTAs, as if memory were endlessly fast
    double tiles_s_ = 0;   // of those, beyond the steps
};

}  // namespace

launch_time time_of(const launch_work& work, const sharing_costs& costs) {
    return waves(work, costs).time();
}

}  // namespace carat::plan
