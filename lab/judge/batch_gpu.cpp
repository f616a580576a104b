// Draws the data of a batch in a GPU's memory and compares the results there.
#include <algorithm>

#include "core/dtype_traits.hpp"
#include "lab/gpu/verify/verify.hpp"
#include "lab/judge/batch.hpp"
#include "lab/judge/precision.hpp"
#include "lab/verify/exact_rules.hpp"

namespace carat::judge {

namespace {

constexpr std::int64_t stale_bytes = 64;  // of the first row of each C

// The host's bound times what tensor cores add: they truncate where others round, and the error
// grows with the sums. Sums in f16, the next narrower type, are off by thousands.
double most_ulp_on_gpu(const core::problem& p) {
    return p.a_type == p.c_type ? 16 : 64;
}

}  // namespace

std::vector<device_rows> batch::all_c() const {
    std::vector<device_rows> all;
    for (const entry& e : calls_) {
        const auto size = static_cast<std::int64_t>(carat::size_bytes(e.problem.c_type));
        all.push_back({e.row.c, e.row.ldc * size, e.problem.n * size, e.problem.m});
    }
    return all;
}

void batch::draw_on_gpu(std::uint64_t seed) {
    gpu_->draw_guards(seed);
    for (const entry& e : calls_) fill_on_gpu(e);
    gpu_->publish();
}

void batch::fill_on_gpu(const entry& e) {
    const core::problem& p = e.problem;
    const core::operands o = operands_of(e);
    char* const c = static_cast<char*>(o.c);
    const bool integer = is_integer(p.c_type);
    if (e.c_begins_as == 0)
        gpu::poison(p, c);
    else
        gpu_->draw(p.c_type, p.m, p.n, p.c_layout, c,
                   e.c_begins_as == 1 ? 0
                   : integer          ? 99999
                                      : 8,
                   e.seed + 3);
    if (e.exact) return gpu::fill(verify::exact_pass(p, "", *e.exact, e.seed), p, o);
    const double most = is_floating(p.a_type) ? 1 : 128;
    gpu_->draw(p.a_type, p.m, p.k, p.a_layout, const_cast<char*>(static_cast<const char*>(o.a)),
               most, e.seed + 1);
    gpu_->draw(p.b_type, p.k, p.n, p.b_layout, const_cast<char*>(static_cast<const char*>(o.b)),
               most, e.seed + 2);
}

// Finds writes after the stream was done, and writes outside C.
std::string batch::changed_on_gpu() {
    const std::vector<device_rows> c = all_c();
    if (gpu_->changed_since_snapshot(c) >= 0)
        return "it still wrote when the stream that it was given was done";
    if (const std::int64_t byte = gpu_->changed_outside(c); byte >= 0)
        return "it " + place_of(byte);
    return {};
}

std::string batch::check_on_gpu() {
    seen_.resize(calls_.size() * static_cast<std::size_t>(stale_bytes));
    char* next = seen_.data();
    for (const device_rows& c : all_c()) {
        gpu_->download(next, gpu_->snapshot() + c.offset, std::min(c.width, stale_bytes));
        next += stale_bytes;
    }
    if (std::string found = changed_on_gpu(); !found.empty()) return found;
    for (const entry& e : calls_) {
        ++checked_;
        const std::string found = e.exact ? check_exact_on_gpu(e) : check_general_on_gpu(e);
        if (!found.empty()) return found + " (" + where(e) + ")";
    }
    return {};
}

std::string batch::stale_on_gpu(const entry& e) const {
    const auto i = static_cast<std::size_t>(&e - calls_.data());
    const auto size = static_cast<std::int64_t>(carat::size_bytes(e.problem.c_type));
    const auto begin = i * static_cast<std::size_t>(stale_bytes);
    const std::int64_t count = std::min(e.problem.n * size, stale_bytes);
    if (previous_.size() != seen_.size()) return {};
    const bool same = std::equal(seen_.begin() + static_cast<std::ptrdiff_t>(begin),
                                 seen_.begin() + static_cast<std::ptrdiff_t>(begin) + count,
                                 previous_.begin() + static_cast<std::ptrdiff_t>(begin));
    return same ? "; C holds the result of earlier operands at the same address" : "";
}

std::string batch::check_exact_on_gpu(const entry& e) {
    const core::problem& p = e.problem;
    const char* c = gpu_->snapshot() + e.row.c;
    const verify::verdict v = gpu::check(verify::exact_pass(p, "", *e.exact, e.seed), p, c);
    if (v.passed) return {};
    return exact_fault(v, gpu::reference(p, operands_of(e)), c, p.c_type, stale_on_gpu(e));
}

std::string batch::check_general_on_gpu(const entry& e) const {
    const core::problem& p = e.problem;
    const char* c = gpu_->snapshot() + e.row.c;
    const gpu::reference right(p, operands_of(e));
    return general_fault(right.check(c, ""), right, c, p, most_ulp_on_gpu(p), stale_on_gpu(e));
}

}  // namespace carat::judge
