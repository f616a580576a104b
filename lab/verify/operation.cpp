#include "lab/verify/operation.hpp"

#include <algorithm>
#include <mutex>

#include "lab/workload/parallel.hpp"

namespace carat::verify {

namespace {

// Odd, so that neighbours have their full significands at k of different parity.
constexpr std::uint64_t seeds_apart = 1'000'003;

// Threads take small products whole.
bool is_small(const rows::operation& all) {
    return all.count > 1 && largest_of(all).m * all.one.n <= 512 * 512;
}

}  // namespace

exact_passes::exact_passes(const rows::operation& all, std::string claim, exact_kind kind,
                           std::uint64_t seed)
    : all_(all), claim_(std::move(claim)), kind_(kind), seed_(seed) {
    (void)of(0);  // refuses what it can't
}

exact_pass exact_passes::of(std::int64_t i, int threads) const {
    // The rules depend on the number of rows; a bias is the same for all.
    exact_pass one(all_.last.bias ? all_.one : problem_of(all_, i), claim_, kind_,
                   seed_ + static_cast<std::uint64_t>(i) * seeds_apart, threads, all_.last);
    one.take_rows(problem_of(all_, i).m);
    one.draw_bias_from(seed_);
    return one;
}

void exact_passes::fill(const core::operands& data) const {
    const int inside = is_small(all_) ? 1 : 0;
    workload::parallel_for(all_.count, is_small(all_) ? 0 : 1, [&](std::int64_t i) {
        if (problem_of(all_, i).m == 0) return;
        const core::operands one = product_at(all_, data, i);
        of(i, inside).fill(one.a, one.b);
    });
}

void exact_passes::fill_c(const core::operands& data) const {
    const int inside = is_small(all_) ? 1 : 0;
    workload::parallel_for(all_.count, is_small(all_) ? 0 : 1, [&](std::int64_t i) {
        if (problem_of(all_, i).m != 0) of(i, inside).fill_c(product_at(all_, data, i).c);
    });
}

std::vector<double> exact_passes::bias() const {
    const exact_pass first = of(0);
    std::vector<double> numbers;
    for (std::int64_t j = 0; j < all_.one.n; ++j) numbers.push_back(first.bias(j));
    return numbers;
}

verdict exact_passes::check(const core::operands& data) const {
    const int inside = is_small(all_) ? 1 : 0;
    std::mutex joining;
    std::vector<std::pair<std::int64_t, verdict>> wrong;
    verdict found;
    found.passed = true;
    found.how = method::exact;
    workload::parallel_for(all_.count, is_small(all_) ? 0 : 1, [&](std::int64_t i) {
        if (problem_of(all_, i).m == 0) return;
        verdict one = of(i, inside).check(product_at(all_, data, i).c);
        if (one.passed) return;
        const std::scoped_lock lock(joining);
        wrong.emplace_back(i, std::move(one));
    });
    std::ranges::sort(wrong, {}, &std::pair<std::int64_t, verdict>::first);
    for (auto& [i, one] : wrong) add_product(found, std::move(one), all_, i);
    return found;
}

bool are_many_and_small(const rows::operation& all) {
    const core::problem p = largest_of(all);
    return all.count > 32 && std::max({p.m * p.n, p.m * p.k, p.k * p.n}) <= 256 * 256;
}

void add_product(verdict& to, verdict one, const rows::operation& all, std::int64_t i) {
    const std::int64_t wrong = to.wrong + one.wrong;
    const double largest = std::max(to.max_abs_error, one.max_abs_error);
    if (!one.passed && all.count > 1)
        one.reason =
            "product " + std::to_string(i) + " of " + std::to_string(all.count) + ": " + one.reason;
    const bool is_worse = to.passed && (!one.passed || one.error_ulp >= to.error_ulp);
    if (is_worse) to = std::move(one);
    to.wrong = wrong;
    to.max_abs_error = largest;
}

std::vector<std::int64_t> products_with_reference(const rows::operation& all, double most_madds) {
    const double each = std::max(1.0, multiply_adds(all) / static_cast<double>(all.count));
    const double fit = std::clamp(most_madds / each, 2.0, static_cast<double>(all.count));
    std::vector<std::int64_t> chosen;
    if (all.count == 1) return {0};
    const auto number = static_cast<std::int64_t>(fit);
    for (std::int64_t i = 0; i < number; ++i)
        if (const std::int64_t at = i * (all.count - 1) / (number - 1); problem_of(all, at).m != 0)
            chosen.push_back(at);
    return chosen;
}

}  // namespace carat::verify
