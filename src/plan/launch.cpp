#include "plan/launch.hpp"

#include <algorithm>
#include <cmath>

namespace carat::plan {

namespace {

// The longer of two that run at once, and a little more where they are alike.
double longer(double x, double y) {
    x *= x;
    y *= y;
    return std::sqrt(std::sqrt(x * x + y * y));
}

class waves {
  public:
    waves(const launch_work& work, const sharing_costs& costs) : work_(work), costs_(costs) {}

    [[nodiscard]] launch_time time() {
        if (work_.is_persistent)
            add_tiles();
        else
            add_rounds();
        told_.memory_s =
            std::max(0.0, work_.memory_bytes - costs_.l2_bytes) / costs_.memory_bytes_per_s;
        told_.launch_s = work_.launch_s;
        told_.once_s = work_.once_s;
        told_.ahead_s = work_.ahead_s;
        told_.seconds = told_.launch_s + told_.steps_s + told_.tiles_s + told_.memory_s +
                        told_.once_s + told_.ahead_s;
        return told_;
    }

  private:
    // A step of `together` CTAs on an SM, `active` on the GPU.
    [[nodiscard]] double step_s(double together, double active, double rounds) {
        const double math = together * work_.step_math_s;
        const double l2 = active * work_.step_bytes / costs_.l2_bytes_per_s;
        told_.math_s += rounds * work_.steps * math;
        told_.l2_s += rounds * work_.steps * l2;
        return longer(longer(math, l2), work_.step_floor_s);
    }

    void add_tiles() {
        told_.at_once = std::min(work_.ctas, work_.places);
        told_.waves = work_.ctas / work_.places;
        const double rounds = work_.shares_last_wave ? told_.waves : std::ceil(told_.waves);
        told_.steps_s = rounds * work_.steps * step_s(1, told_.at_once, rounds);
        told_.tiles_s = work_.tile_s * (rounds * (1 - work_.hidden_share) + work_.hidden_share);
    }

    // CTAs that share an SM hide each other's beginnings and ends.
    void add_round(double together, double active, double rounds) {
        const double body = work_.steps * step_s(together, active, rounds);
        const double ends = work_.fill_s + work_.tile_s;
        const double all = together > 1 ? longer(body + costs_.seen_share * ends,
                                                 body / together * costs_.alone_factor + ends)
                                        : body + ends;
        told_.steps_s += rounds * std::min(body, all);
        told_.tiles_s += rounds * std::max(0.0, all - body);
    }

    void add_rounds() {
        const double at_once = work_.places * work_.on_sm;
        const double full = std::floor(work_.ctas / at_once);
        const double left = work_.ctas - full * at_once;
        told_.at_once = std::min(work_.ctas, at_once);
        told_.waves = work_.ctas / at_once;
        if (full > 0) add_round(work_.on_sm, at_once, full);
        if (left > 0) add_round(std::ceil(left / work_.places), left, 1);
    }

    const launch_work& work_;
    const sharing_costs& costs_;
    launch_time told_;
};

}  // namespace

launch_time time_of(const launch_work& work, const sharing_costs& costs) {
    return waves(work, costs).time();
}

}  // namespace carat::plan
