// Chooses the method and keeps its results.
#include <cmath>
#include <optional>

#include <carat/error.hpp>

#include "lab/verify/freivalds.hpp"
#include "lab/verify/verify.hpp"

namespace carat::verify {

namespace {

double product_madds(const core::problem& p) {
    return static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k);
}

bool beyond_budget(const core::problem& p, const options& how) {
    return product_madds(p) > how.componentwise_madds;
}

// Smaller pieces take a thread less time than starting it.
constexpr double madds_worth_threads = 1e6;

void require_checkable(const core::problem& p) {
    const bool integer = is_integer(p.c_type);
    for (const auto& [name, factor] : {std::pair{"alpha", p.alpha}, std::pair{"beta", p.beta}}) {
        if (!std::isfinite(factor))
            throw error(error_code::invalid_argument, "verification: " + std::string(name) +
                                                          " is " + std::to_string(factor) +
                                                          ", but must be finite");
        if (integer && std::trunc(factor) != factor)
            throw error(error_code::invalid_argument,
                        "verification: " + std::string(name) + " is " + std::to_string(factor) +
                            ", but integer products need a whole number");
    }
}

// The operands that are read: alpha = 0 ignores A and B, beta = 0 ignores C0.
sources sources_of(const core::problem& p, const core::operands& initial) {
    sources from{a_source(p, initial), b_source(p, initial), {}};
    if (p.alpha == 0) from.a.cols = from.b.rows = 0;
    if (p.beta != 0) from.c = c_source(p, initial.c);
    return from;
}

}  // namespace

struct reference::impl {
    core::problem problem;
    int threads = 0;
    std::optional<componentwise> every_entry;
    std::optional<freivalds> random_vectors;

    [[nodiscard]] method how() const {
        return random_vectors ? method::freivalds : method::componentwise;
    }
};

reference::reference(const core::problem& p, const core::operands& initial, const options& how)
    : impl_(std::make_unique<impl>()) {
    require_checkable(p);
    impl_->problem = p;
    impl_->threads = product_madds(p) < madds_worth_threads ? 1 : how.threads;
    const sources from = sources_of(p, initial);
    if (beyond_budget(p, how)) {
        progress_meter meter(how.progress, freivalds::work(p));
        impl_->random_vectors.emplace(p, from, how.seed, impl_->threads, meter);
    } else {
        progress_meter meter(how.progress, madds(from.a, from.b));
        impl_->every_entry.emplace(p, from, impl_->threads, meter);
    }
}

reference::reference(reference&&) noexcept = default;
reference& reference::operator=(reference&&) noexcept = default;
reference::~reference() = default;

method reference::how() const {
    return impl_->how();
}

verdict reference::check(const void* c) const {
    return check(c, {});
}

verdict reference::check(const void* c, std::string_view computes_in) const {
    const core::problem& p = impl_->problem;
    const precision claimed = precision_of(computes_in, p);
    const bound allowed(claimed, p, impl_->random_vectors.has_value() || needs_twofold(p));
    const source result = c_source(p, c);
    tally found;
    if (impl_->random_vectors)
        impl_->random_vectors->check(result, allowed, impl_->threads, found);
    else
        impl_->every_entry->check(result, allowed, impl_->threads, found);
    return found.conclude(impl_->how(), claimed.name);
}

std::int64_t bytes_needed(const core::problem& p, const options& how) {
    const bool sampled = beyond_budget(p, how);
    const std::int64_t lanes = freivalds::lanes;
    // Twofold sums: three doubles; plain: two. Freivalds keeps R, A B R, B R and temporaries.
    const std::int64_t sums = needs_twofold(p) ? 3 : 2;
    const std::int64_t entries = core::checked_product(p.m, p.n + width_step, "C entries");
    if (!sampled) return core::checked_product(entries, sums * 8, "reference bytes");
    const std::int64_t lines = 10 * p.m + 4 * p.k + p.n;
    return core::checked_product(lines, lanes * 8, "reference bytes");
}

}  // namespace carat::verify
