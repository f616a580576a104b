#include "lab/verify/freivalds.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include <carat/error.hpp>

#include "lab/verify/poison.hpp"
#include "lab/verify/twofold.hpp"
#include "lab/workload/parallel.hpp"
#include "lab/workload/philox.hpp"

namespace carat::verify {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::int64_t random_lines = 6;  // besides the first and the last

source lanes_view(const std::vector<double>& values) {
    const auto rows = static_cast<std::int64_t>(values.size()) / freivalds::lanes;
    return {values.data(), dtype::f64, rows, freivalds::lanes, core::row_major(freivalds::lanes)};
}

// Signs for real numbers. A sign changes nothing about 2^31 modulo 2^32, so integers take 0 and 1.
std::vector<double> random_vectors(std::int64_t n, std::uint64_t seed, bool integer) {
    std::vector<double> values(static_cast<std::size_t>(n * freivalds::lanes));
    for (std::int64_t j = 0; j < n; ++j) {
        const auto row = static_cast<std::uint64_t>(j);
        const std::uint32_t bits = workload::philox(
            {static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(row >> 32), 0, 0x52},
            {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)})[0];
        for (std::int64_t lane = 0; lane < freivalds::vectors; ++lane) {
            const bool set = (bits >> lane & 1) != 0;
            values[static_cast<std::size_t>(j * freivalds::lanes + lane)] =
                integer ? (set ? 1 : 0) : (set ? 1 : -1);
        }
    }
    return values;
}

std::vector<std::int64_t> lines_to_check(std::int64_t count, std::uint64_t seed,
                                         std::uint32_t stream) {
    std::set<std::int64_t> lines = {0, count - 1};
    for (std::uint32_t draw = 0; draw < random_lines; ++draw) {
        const auto words = workload::philox(
            {draw, stream, 0, 0x53},
            {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
        const std::uint64_t word = std::uint64_t{words[0]} << 31 | words[1] >> 1;
        lines.insert(static_cast<std::int64_t>(word % static_cast<std::uint64_t>(count)));
    }
    return {lines.begin(), lines.end()};
}

line_facts worst_of(const std::vector<line_facts>& lines) {
    line_facts all;
    for (const line_facts& line : lines) {
        all.nonzeros = std::max(all.nonzeros, line.nonzeros);
        all.grid = std::min(all.grid, line.grid);
        all.finite = all.finite && line.finite;
        all.largest = std::max(all.largest, line.largest);
        all.sum = std::max(all.sum, line.sum);
    }
    return all;
}

// High parts of B R, and in the last lane |B| 1; for integers modulo 2^32, so that the product
// with A stays exact.
std::vector<double> high_parts(const sum_matrix& x, bool integer) {
    std::vector<double> values = x.high;
    for (std::int64_t i = 0; i < x.rows; ++i) {
        if (!integer) values[x.index(i, freivalds::vectors)] = x.absolute[x.index(i, 0)];
        for (std::int64_t lane = 0; integer && lane < freivalds::lanes; ++lane) {
            const std::size_t at = x.index(i, lane);
            const std::uint32_t value = modulo_32(x.high[at]) + modulo_32(x.low[at]);
            values[at] = static_cast<double>(static_cast<std::int32_t>(value));
        }
    }
    return values;
}

}  // namespace

double freivalds::work(const core::problem& p) {
    const auto m = static_cast<double>(p.m);
    const auto n = static_cast<double>(p.n);
    const auto k = static_cast<double>(p.k);
    return static_cast<double>(lanes) * (k * n + 2 * m * k + m * n) +
           static_cast<double>(random_lines + 2) * k * (m + n);
}

freivalds::freivalds(const core::problem& p, const sources& from, std::uint64_t seed, int threads,
                     progress_meter& meter)
    : problem_(p),
      integer_(is_integer(p.c_type)),
      random_(random_vectors(p.n, seed, integer_)),
      expected_(p.m, lanes, true),
      a_rows_(facts_of_rows(from.a, threads)),
      c_rows_(facts_of_rows(from.c, threads)),
      b_all_(worst_of(facts_of_rows(from.b.transposed(), threads))),
      rows_(lines_to_check(p.m, seed, 0)),
      cols_(lines_to_check(p.n, seed, 1)) {
    c_rows_.resize(static_cast<std::size_t>(p.m));
    if (!worst_of(a_rows_).finite || !b_all_.finite || !worst_of(c_rows_).finite)
        throw error(error_code::unsupported,
                    "verification: NaN or Inf in the operands of a product of " +
                        core::describe(p) + "; only smaller ones can be checked with them");

    const source r = lanes_view(random_);
    sum_matrix x(p.k, lanes, true);
    add_product(from.b, r, specials::as_they_are, threads, x, meter);
    const std::vector<double> x_high = high_parts(x, integer_);
    add_product(from.a, lanes_view(x_high), specials::as_they_are, threads, expected_, meter);
    sum_matrix correction(p.m, lanes, true);
    if (!integer_)
        add_product(from.a, lanes_view(x.low), specials::as_they_are, threads, correction, meter);
    sum_matrix initial(p.m, lanes, true);
    if (from.c.data != nullptr)
        add_product(from.c, r, specials::as_they_are, threads, initial, meter);
    meter.throw_if_stopped();
    combine(correction, initial);

    const row_selection a(from.a, rows_);
    const row_selection b(from.b.transposed(), cols_);
    row_selection c_rows;
    row_selection c_cols;
    if (from.c.data != nullptr) {
        c_rows = row_selection(from.c, rows_);
        c_cols = row_selection(from.c.transposed(), cols_);
    }
    const auto or_nothing = [&](const source& s) { return from.c.data == nullptr ? source{} : s; };
    whole_.emplace_back(p, sources{a.view(), from.b, or_nothing(c_rows.view())}, threads, meter);
    whole_.back().name_rows(rows_);
    whole_.emplace_back(
        p, sources{from.a, b.view().transposed(), or_nothing(c_cols.view().transposed())}, threads,
        meter);
    whole_.back().name_cols(cols_);
}

// expected := alpha (expected + correction) + beta initial, all twofold; the last lane's absolute
// sum becomes the row's sum of D.
void freivalds::combine(const sum_matrix& correction, const sum_matrix& initial) {
    for (std::size_t at = 0; at < expected_.high.size(); ++at) {
        if (integer_) {
            const auto whole = [at](const sum_matrix& s) {
                return modulo_32(s.high[at]) + modulo_32(s.low[at]);
            };
            const std::uint32_t value = modulo_32(problem_.alpha) * whole(expected_) +
                                        modulo_32(problem_.beta) * whole(initial);
            expected_.high[at] = static_cast<double>(static_cast<std::int32_t>(value));
            continue;
        }
        double low = expected_.low[at] + correction.high[at] + correction.low[at];
        add_scaled(problem_.alpha, problem_.beta, initial.high[at], expected_.high[at], low);
        expected_.low[at] = low + problem_.beta * initial.low[at];
        // Any lane's absolute sum of C0 R is |C0| 1: signs don't count.
        expected_.absolute[at] = std::abs(problem_.alpha) * expected_.absolute[at] +
                                 std::abs(problem_.beta) * initial.absolute[at - at % lanes];
    }
}

// The most that any entry of the row may have.
bound::entry freivalds::largest_entry(std::int64_t row) const {
    const line_facts& a = a_rows_[static_cast<std::size_t>(row)];
    const line_facts& c = c_rows_[static_cast<std::size_t>(row)];
    const double magnitude = std::min(
        expected_.absolute[expected_.index(row, vectors)],
        std::abs(problem_.alpha) * a.sum * b_all_.largest + std::abs(problem_.beta) * c.largest);
    return {.terms = std::min(a.nonzeros, b_all_.nonzeros),
            .magnitude = magnitude,
            .value = magnitude,
            .neighbours = std::max(a.sum, b_all_.sum)};
}

double freivalds::row_tolerance(std::int64_t row, const bound& allowed) const {
    const line_facts& a = a_rows_[static_cast<std::size_t>(row)];
    const line_facts& c = c_rows_[static_cast<std::size_t>(row)];
    const double magnitude = expected_.absolute[expected_.index(row, vectors)];
    const auto n = static_cast<double>(problem_.n);
    // The bound is linear in D, so the sum over a row takes the row's sum of D once, and what does
    // not depend on D n times.
    bound::entry whole = largest_entry(row);
    whole.exact = allowed.is_exact(whole.magnitude, a.grid, b_all_.grid, c.grid);
    whole.magnitude = whole.value = magnitude;
    bound::entry constant = whole;
    constant.magnitude = constant.value = 0;
    return allowed.of(whole) + (n - 1) * allowed.of(constant);
}

finding freivalds::judge(std::int64_t row, const sum_matrix& seen, const bound& allowed) const {
    const line_facts& a = a_rows_[static_cast<std::size_t>(row)];
    const double magnitude = expected_.absolute[expected_.index(row, vectors)];
    finding f;
    f.row = row;
    f.unit = allowed.unit(magnitude);
    f.tolerance = row_tolerance(row, allowed);
    const bound::entry largest = largest_entry(row);
    const bool sums_overflow = !std::isfinite(2 * (magnitude + f.tolerance));  // ours, in doubles
    if (sums_overflow ||
        allowed.may_overflow(largest.magnitude + allowed.of(largest), a.largest, b_all_.largest)) {
        f.tolerance = 0;
        return f;  // not to be judged
    }
    for (std::int64_t lane = 0; lane < vectors; ++lane) {
        const std::size_t at = expected_.index(row, lane);
        const double apart =
            (seen.high[at] - expected_.high[at]) + (seen.low[at] - expected_.low[at]);
        const double error = std::isfinite(apart) ? std::abs(apart) : infinity;
        f.error = std::max(f.error, error);
    }
    // The error of twofold sums of k + n terms, three products of them.
    const double depth = (static_cast<double>(problem_.k + problem_.n) + 16) * 0x1p-53;
    const double seen_magnitude = seen.absolute[seen.index(row, 0)];
    if (std::isfinite(seen_magnitude))
        f.tolerance += 8 * depth * depth * (magnitude + seen_magnitude);
    return f;
}

finding freivalds::judge_integer(std::int64_t row, const sum_matrix& seen) const {
    finding f;
    f.row = row;
    f.unit = 1;
    for (std::int64_t lane = 0; lane < vectors; ++lane) {
        const std::size_t at = expected_.index(row, lane);
        const std::uint32_t apart =
            modulo_32(seen.high[at]) + modulo_32(seen.low[at]) - modulo_32(expected_.high[at]);
        f.error =
            std::max(f.error, std::abs(static_cast<double>(static_cast<std::int32_t>(apart))));
    }
    return f;
}

// Finds NaN, Inf or poison in a row.
void freivalds::locate(const source& c, finding& f) const {
    for (std::int64_t j = 0; j < c.cols; ++j) {
        const double value = c.at(f.row, j);
        if (std::isfinite(value) && !is_poison(c.type, c.data, c.index(f.row, j))) continue;
        f.col = j;
        f.got = value;
        f.expected_known = false;
        f.unwritten = is_poison(c.type, c.data, c.index(f.row, j));
        return;
    }
}

void freivalds::check_rows(const source& c, const bound& allowed, int threads, tally& to) const {
    sum_matrix seen(c.rows, lanes, true);
    const std::function<bool(double)> silent;
    progress_meter meter(silent, 1);
    add_product(c, lanes_view(random_), specials::as_they_are, threads, seen, meter);
    for (std::int64_t row = 0; row < c.rows; ++row) {
        finding f = integer_ ? judge_integer(row, seen) : judge(row, seen, allowed);
        if (f.wrong()) locate(c, f);
        // Rows that pass say nothing about the worst entry; those checked whole do.
        if (f.wrong()) to.add(f);
    }
}

void freivalds::check(const source& c, const bound& allowed, int threads, tally& to) const {
    check_rows(c, allowed, threads, to);
    whole_[0].check(c, allowed, threads, to);
    whole_[1].check(c, allowed, threads, to);
}

}  // namespace carat::verify
