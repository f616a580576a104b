#include "api/bounded_sum.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>

#include "api/floor_division.hpp"

namespace carat::api {

namespace {

// The different steps, longest first.
class falling_steps {
  public:
    explicit falling_steps(const std::array<repeated_step, 4>& all) {
        for (const repeated_step& s : all)
            if (s.step != 0 && s.most != 0) insert(s);
    }

    [[nodiscard]] std::size_t count() const { return count_; }
    [[nodiscard]] const repeated_step& longest() const { return steps_.front(); }
    [[nodiscard]] const repeated_step& shortest() const { return steps_[count_ - 1]; }
    void drop_shortest() { --count_; }

    [[nodiscard]] falling_steps without_longest() const {
        falling_steps rest = *this;
        std::copy(steps_.begin() + 1, steps_.end(), rest.steps_.begin());
        --rest.count_;
        return rest;
    }

    [[nodiscard]] std::int64_t common_divisor() const {
        std::int64_t divisor = 0;
        for (const repeated_step& s : used()) divisor = std::gcd(divisor, s.step);
        return divisor;
    }

    void divide_by(std::int64_t divisor) {
        for (std::size_t i = 0; i < count_; ++i) steps_[i].step /= divisor;
    }

    [[nodiscard]] std::int64_t sum() const {
        std::int64_t all = 0;
        for (const repeated_step& s : used()) all += s.step * s.most;
        return all;
    }

  private:
    void insert(const repeated_step& s) {
        std::size_t place = 0;
        while (place < count_ && steps_[place].step > s.step) ++place;
        if (place < count_ && steps_[place].step == s.step) {
            steps_[place].most += s.most;
            return;
        }
        for (std::size_t i = count_++; i > place; --i) steps_[i] = steps_[i - 1];
        steps_[place] = s;
    }

    [[nodiscard]] std::span<const repeated_step> used() const { return {steps_.data(), count_}; }

    std::array<repeated_step, 4> steps_{};
    std::size_t count_ = 0;
};

// The least x up to `most` with `step` x mod `modulus` in the range, which lies in [0, modulus). If
// the range has no multiple of the step, then step x - modulus y must lie in it for some y, and
// finding y is the same question modulo the step.
std::optional<std::int64_t> first_within(std::int64_t step, std::int64_t modulus,
                                         const bounds& range, std::int64_t most) {
    if (range.low == 0) return 0;
    if (step == 0) return {};
    std::int64_t x = ceiling_of(range.low, step);
    if (step * x > range.high) {
        const bounds of_y = {remainder_of(-range.high, step), remainder_of(-range.low, step)};
        const auto y = first_within(modulus % step, step, of_y, step * most / modulus);
        if (!y) return {};
        x = ceiling_of(range.low + modulus * *y, step);
    }
    if (x > most) return {};
    return x;
}

bool one_step_reaches(const repeated_step& s, const bounds& range) {
    return range.high >= 0 && std::min(floor_of(range.high, s.step), s.most) * s.step >= range.low;
}

// Takes as many of the shorter step as keep the sum below the range's end.
bool two_steps_reach(const repeated_step& longer, const repeated_step& shorter,
                     const bounds& range) {
    if (range.high < 0) return false;
    // While fewer longer steps than this are taken, all of the shorter ones fit below the range's
    // end.
    const std::int64_t some_fit = std::max<std::int64_t>(
        0, floor_of(range.high - shorter.step * (shorter.most + 1), longer.step) + 1);
    const std::int64_t all = shorter.step * shorter.most;
    const bounds beyond_all = {range.low - all, range.high - all};
    if (some_fit > 0 &&
        one_step_reaches({longer.step, std::min(some_fit - 1, longer.most)}, beyond_all))
        return true;
    const std::int64_t last = std::min(longer.most, floor_of(range.high, longer.step));
    if (some_fit > last) return false;
    // The rest up to the end after x more longer steps, modulo the shorter one, must not exceed the
    // length of the range.
    const std::int64_t left = remainder_of(range.high - longer.step * some_fit, shorter.step);
    const bounds wanted = {std::max<std::int64_t>(0, left - (range.high - range.low)), left};
    return first_within(longer.step % shorter.step, shorter.step, wanted, last - some_fit)
        .has_value();
}

// A step no longer than the range leaves no gaps, so it widens the range, however often it is
// taken.
void widen(bounds& range, falling_steps& steps) {
    while (steps.count() != 0 && steps.shortest().step <= range.high - range.low + 1) {
        range.low -= steps.shortest().step * steps.shortest().most;
        steps.drop_shortest();
    }
}

bool can_reach(falling_steps steps, bounds range) {
    widen(range, steps);
    while (steps.count() > 2) {
        const std::int64_t divisor = steps.common_divisor();
        if (divisor == 1) break;
        range = {ceiling_of(range.low, divisor), floor_of(range.high, divisor)};
        if (range.low > range.high) return false;
        steps.divide_by(divisor);
        widen(range, steps);
    }
    if (steps.count() == 0) return range.low <= 0 && range.high >= 0;
    const repeated_step& longest = steps.longest();
    if (steps.count() == 1) return one_step_reaches(longest, range);
    if (steps.count() == 2) return two_steps_reach(longest, steps.shortest(), range);
    const falling_steps rest = steps.without_longest();
    const std::int64_t first =
        std::max<std::int64_t>(0, ceiling_of(range.low - rest.sum(), longest.step));
    const std::int64_t last = std::min(longest.most, floor_of(range.high, longest.step));
    for (std::int64_t t = first; t <= last; ++t)
        if (can_reach(rest, {range.low - t * longest.step, range.high - t * longest.step}))
            return true;
    return false;
}

}  // namespace

bool can_reach(const std::array<repeated_step, 4>& steps, bounds range) {
    return can_reach(falling_steps(steps), range);
}

}  // namespace carat::api
