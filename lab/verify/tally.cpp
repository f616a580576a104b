#include "lab/verify/tally.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <tuple>

namespace carat::verify {

namespace {

// a / unit where 0 / 0 is nothing to report.
double in_units(double a, double unit) {
    return a == 0 ? 0 : a / unit;
}

std::string reason_for(const finding& f, std::string_view claimed) {
    if (f.col < 0) {
        return fmt::format(
            "row {} of C is wrong: against random vectors it is off by {:.3g} ulp of |A||B|, at "
            "most {:.3g} allowed for {}",
            f.row, f.error_ulp(), f.bound_ulp(), claimed);
    }
    const std::string where = fmt::format("C({}, {})", f.row, f.col);
    if (f.unwritten) return where + " was never written";
    if (!f.expected_known) return fmt::format("{} is {}", where, f.got);
    std::string values = fmt::format("{} is {}, expected {}", where, f.got, f.expected);
    if (!std::isfinite(f.got) || !std::isfinite(f.expected)) return values;
    values += fmt::format(": off by {:.3g} ulp of |A||B|, at most {:.3g} allowed for {}",
                          f.error_ulp(), f.bound_ulp(), claimed);
    return values;
}

}  // namespace

double finding::error_ulp() const {
    return in_units(error, unit);
}
double finding::bound_ulp() const {
    return in_units(tolerance, unit);
}

bool tally::worse(const finding& a, const finding& b) {
    const auto key = [](const finding& f) {
        const double over = f.tolerance > 0 ? f.error / f.tolerance : f.error;
        // Keeps the earliest among equals, so that threads do not change the verdict.
        return std::tuple(f.wrong(), f.wrong() ? over : f.error_ulp(), -f.row, -f.col);
    };
    return key(a) > key(b);
}

void tally::add(const finding& f) {
    if (checked_++ == 0 || worse(f, worst_)) worst_ = f;
    if (f.wrong()) ++wrong_;
    if (f.col >= 0) largest_error_ = std::max(largest_error_, f.error);
}

void tally::add(const tally& other) {
    if (other.checked_ == 0) return;
    if (checked_ == 0 || worse(other.worst_, worst_)) worst_ = other.worst_;
    checked_ += other.checked_;
    wrong_ += other.wrong_;
    largest_error_ = std::max(largest_error_, other.largest_error_);
}

verdict tally::conclude(method how, std::string_view claimed) const {
    verdict v;
    v.passed = wrong_ == 0;
    v.how = how;
    v.wrong = wrong_;
    if (checked_ == 0) return v;
    v.error_ulp = worst_.error_ulp();
    v.bound_ulp = worst_.bound_ulp();
    v.max_abs_error = largest_error_;
    v.row = worst_.row;
    v.col = worst_.col;
    if (!v.passed)
        v.reason = reason_for(worst_, claimed) +
                   fmt::format(" ({} of {} checks failed)", wrong_, checked_);
    return v;
}

}  // namespace carat::verify
