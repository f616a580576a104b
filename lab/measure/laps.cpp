#include "lab/measure/laps.hpp"

#include <algorithm>

#include "lab/measure/idle.hpp"

namespace carat::measure {

laps::laps() : laps(this_process().now_s) {}

void laps::start() {
    ++runs_;
    last_s_ = now_s_();
}

void laps::lap(std::string_view name) {
    const double now_s = now_s_();
    const auto found = std::ranges::find(parts_, name, &part::name);
    const auto index = static_cast<std::size_t>(found - parts_.begin());
    if (found == parts_.end()) {
        parts_.push_back({name, {}});
        sums_s_.push_back(0);
    }
    sums_s_[index] += now_s - last_s_;
    last_s_ = now_s;
}

void laps::begin_trial() {
    std::ranges::fill(sums_s_, 0.0);
    runs_ = 0;
}

void laps::end_trial() {
    for (std::size_t i = 0; i < parts_.size(); ++i)
        parts_[i].trials_s.push_back(sums_s_[i] / runs_);
}

}  // namespace carat::measure
