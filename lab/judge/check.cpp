// Compares a target's results with the correct ones.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <functional>
#include <limits>

#include "core/dtype_traits.hpp"
#include "lab/judge/batch.hpp"
#include "lab/judge/clock.hpp"
#include "lab/judge/precision.hpp"
#include "lab/verify/source.hpp"
#include "lab/verify/verify.hpp"

namespace carat::judge {

namespace {

// The error of an entry, for data of mean 0, is a random walk of the roundings of partial sums,
// which have the size of sqrt(k). That is u |A||B| within a small factor for every k. Operands
// rounded to the next narrower type are off by thousands of it.
constexpr double most_ulp = 16;

std::size_t at(std::int64_t index) {
    return static_cast<std::size_t>(index);
}

// Computes to += M x, by blocks of rows.
void multiply(const verify::source& m, const std::vector<double>& x, std::vector<double>& to) {
    constexpr std::int64_t block = 256;
    std::array<double, block> values;
    for (std::int64_t i = 0; i < m.rows; ++i) {
        double sum = 0;
        for (std::int64_t j = 0; j < m.cols; j += block) {
            const std::int64_t count = std::min(block, m.cols - j);
            verify::read_block(m, i, j, 1, count, values.data(), block);
            for (std::int64_t l = 0; l < count; ++l) sum += values[at(l)] * x[at(j + l)];
        }
        to[at(i)] += sum;
    }
}

}  // namespace

std::string batch::place_of(std::int64_t byte) const {
    for (const entry& e : calls_) {
        struct matrix {
            const char* name;
            std::int64_t begin, bytes, leading, cols;
            dtype type;
        };
        const std::array all = {
            matrix{"A", e.row.a, e.a_bytes, e.row.lda, e.problem.k, e.problem.a_type},
            matrix{"B", e.row.b, e.b_bytes, e.row.ldb, e.problem.n, e.problem.b_type},
            matrix{"C", e.row.c, e.c_bytes, e.row.ldc, e.problem.n, e.problem.c_type}};
        for (const matrix& m : all) {
            const std::int64_t end = m.begin + m.bytes;
            if (byte >= m.begin - 256 && byte < m.begin)
                return fmt::format("wrote in front of {}", m.name);
            if (byte >= end && byte < end + 256)
                return fmt::format("wrote past the end of {}", m.name);
            if (byte < m.begin || byte >= end) continue;
            const std::int64_t index =
                (byte - m.begin) / static_cast<std::int64_t>(carat::size_bytes(m.type));
            const std::int64_t row = index / m.leading, col = index % m.leading;
            if (col >= m.cols)
                return fmt::format("wrote between the rows of {}, behind row {}", m.name, row);
            return fmt::format("changed {}({}, {}), an input", m.name, row, col);
        }
    }
    return "wrote outside of the matrices";
}

// Compares every byte that is not an entry of C.
std::string batch::tampered() const {
    std::int64_t from = data_begins;
    const auto differs = [&](std::int64_t to) -> std::string {
        const char* right = image_.data() + from;
        const char* seen = seen_.data() + from;
        if (to <= from || std::memcmp(right, seen, at(to - from)) == 0) return {};
        return place_of(from + (std::mismatch(right, right + (to - from), seen).first - right));
    };
    for (const entry& e : calls_) {
        const auto size = static_cast<std::int64_t>(carat::size_bytes(e.problem.c_type));
        for (std::int64_t i = 0; i < e.problem.m; ++i) {
            const std::int64_t row = e.row.c + i * e.row.ldc * size;
            if (std::string found = differs(row); !found.empty()) return found;
            from = row + e.problem.n * size;
        }
    }
    return differs(size_bytes_);
}

// Compares C r with A (B r) in double, for a vector r of random signs. An error in any entry shows.
double batch::screened(const entry& e) const {
    const core::problem& p = e.problem;
    const core::operands data = operands_of(e);
    std::vector<double> r(at(p.n)), x(at(p.k)), right(at(p.m)), seen(at(p.m));
    for (std::int64_t j = 0; j < p.n; ++j)
        r[at(j)] = (verify::mixed(e.check_seed ^ static_cast<std::uint64_t>(j)) & 1) ? 1 : -1;
    multiply(verify::b_source(p, data), r, x);
    multiply(verify::a_source(p, data), x, right);
    multiply(verify::c_source(p, seen_.data() + e.row.c), r, seen);
    const bool integer = is_integer(p.c_type);
    const double u = integer ? 0x1p-53 : core::unit_roundoff(p.c_type);
    const double largest = integer ? 0x1p14 : 1;
    const double allowed = 4 * most_ulp * u * largest * static_cast<double>(p.k + 8) *
                           std::sqrt(static_cast<double>(p.n + 8));
    double worst = 0;
    for (std::int64_t i = 0; i < p.m; ++i) {
        const double apart = std::abs(seen[at(i)] - right[at(i)]) / allowed;
        worst = apart <= worst ? worst : apart;  // a NaN stays
        if (std::isnan(worst)) return std::numeric_limits<double>::infinity();
    }
    return worst;
}

// Returns whether C equals what an earlier go left in the same place.
std::string batch::stale(const entry& e) const {
    if (previous_.size() != seen_.size()) return {};
    const auto row = at(e.row.c);
    const auto bytes = at(e.problem.n) * carat::size_bytes(e.problem.c_type);
    const bool same = std::memcmp(seen_.data() + row, previous_.data() + row, bytes) == 0;
    return same ? "; C holds the result of earlier operands at the same address" : "";
}

std::string batch::check_exact(const entry& e) const {
    const core::problem& p = e.problem;
    const char* c = seen_.data() + e.row.c;
    const verify::verdict v = verify::exact_pass(p, "", *e.exact, e.seed).check(c);
    if (v.passed) return {};
    return exact_fault(v, verify::reference(p, operands_of(e)), c, p.c_type, stale(e));
}

std::string batch::check_general(const entry& e) const {
    const core::problem& p = e.problem;
    const char* c = seen_.data() + e.row.c;
    verify::options how;
    how.componentwise_madds = 3e7;
    how.seed = e.check_seed;
    const verify::reference right(p, operands_of(e), how);
    return general_fault(right.check(c), right, c, p, most_ulp, stale(e));
}

std::string batch::failed_call(const shared_memory& from) const {
    for (std::size_t i = 0; i < calls_.size(); ++i) {
        const std::int64_t status = from.table()[i].status;
        if (status != 0) return fmt::format("run() returned {} ({})", status, where(calls_[i]));
    }
    return {};
}

std::string batch::check(const shared_memory& from, double most_s, stream& checks) {
    for (entry& e : calls_) e.check_seed = checks.draw();
    std::swap(previous_, seen_);
    if (gpu_ == nullptr) seen_.assign(from.data(), from.data() + size_bytes_);
    if (std::string found = failed_call(from); !found.empty()) return found;
    return gpu_ != nullptr ? check_on_gpu() : check_on_host(most_s);
}

std::string batch::check_on_host(double most_s) {
    if (std::string found = tampered(); !found.empty()) return "it " + found;
    // Suspicious calls come first, the others follow in random order.
    std::vector<std::pair<double, const entry*>> general;
    for (const entry& e : calls_) {
        ++checked_;
        if (!e.exact) {
            const bool plain = e.problem.alpha == 1 && e.problem.beta == 0;
            const double draw = static_cast<double>(e.check_seed % 1024) / 2048;
            const double seen = plain ? screened(e) : 2;
            general.emplace_back(seen > 1 ? seen + 1 : draw, &e);
            continue;
        }
        if (std::string found = check_exact(e); !found.empty())
            return found + " (" + where(e) + ")";
    }
    std::ranges::sort(general, std::greater<>());
    const double until_s = now_s() + most_s;
    for (const auto& [suspicion, e] : general) {
        if (suspicion <= 1 && now_s() > until_s) break;
        if (std::string found = check_general(*e); !found.empty())
            return found + " (" + where(*e) + ")";
    }
    return {};
}

}  // namespace carat::judge
