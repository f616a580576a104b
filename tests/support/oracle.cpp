#include "tests/support/oracle.hpp"

#include <algorithm>

#include "lab/verify/verify.hpp"

namespace carat::test {

namespace {

constexpr double worth_threads = 1e7;
constexpr std::int64_t most_told = 12;

}  // namespace

sums::sums(const verify::source& a, const verify::source& b)
    : is_turned_(b.cols < a.rows), all_(std::min(a.rows, b.cols), std::max(a.rows, b.cols), true) {
    const std::function<bool(double)> tell_nobody;
    const double work = verify::madds(a, b);
    verify::progress_meter meter(tell_nobody, work);
    const verify::source left = is_turned_ ? b.transposed() : a;
    const verify::source right = is_turned_ ? a.transposed() : b;
    verify::add_product(left, right, verify::specials::as_they_are, work < worth_threads ? 1 : 0,
                        all_, meter);
}

void wrong_elements::note(std::int64_t i, std::int64_t j, double got, double expected) {
    if (count_++ < most_told)
        first_ += "\n  C(" + std::to_string(i) + ", " + std::to_string(j) + ") is " +
                  std::to_string(got) + " instead of " + std::to_string(expected);
    top_ = std::min(top_, i);
    bottom_ = std::max(bottom_, i);
    left_ = std::min(left_, j);
    right_ = std::max(right_, j);
}

std::string wrong_elements::text() const {
    if (count_ == 0) return {};
    return std::to_string(count_) + " wrong elements, in rows " + std::to_string(top_) + " to " +
           std::to_string(bottom_) + " and columns " + std::to_string(left_) + " to " +
           std::to_string(right_) + first_;
}

std::string beyond_bound(const core::problem& p, const core::operands& before, const void* c,
                         std::string_view computes_in) {
    return verify::reference(p, before, {.threads = 1}).check(c, computes_in).reason;
}

}  // namespace carat::test
