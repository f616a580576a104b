#include "lab/verify/componentwise.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <mutex>

#include "lab/verify/poison.hpp"
#include "lab/verify/twofold.hpp"
#include "lab/workload/parallel.hpp"

namespace carat::verify {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

bool all_finite(const std::vector<line_facts>& lines) {
    return std::ranges::all_of(lines, &line_facts::finite);
}

std::int64_t name_of(const std::vector<std::int64_t>& names, std::int64_t index) {
    return names.empty() ? index : names[static_cast<std::size_t>(index)];
}

template <class Work>
void for_each_entry(const sum_matrix& sums, int threads, const Work& work) {
    workload::parallel_for(sums.rows, threads, [&](std::int64_t i) {
        for (std::int64_t j = 0; j < sums.cols; ++j) work(i, j, sums.index(i, j));
    });
}

bool same_special(double got, double expected) {
    return std::isnan(expected) ? std::isnan(got) : got == expected;
}

}  // namespace

bool needs_twofold(const core::problem& p) {
    const auto narrow = [](dtype type) { return type != dtype::f64 && type != dtype::i32; };
    return !(narrow(p.a_type) && narrow(p.b_type) && narrow(p.c_type));
}

std::uint32_t modulo_32(double whole) {
    return static_cast<std::uint32_t>(static_cast<std::int64_t>(std::fmod(whole, 0x1p32)));
}

componentwise::componentwise(const core::problem& p, const sources& from, int threads,
                             progress_meter& meter)
    : problem_(p),
      sums_(from.a.rows, from.b.cols, needs_twofold(p)),
      a_rows_(facts_of_rows(from.a, threads)),
      b_cols_(facts_of_rows(from.b.transposed(), threads)),
      c_rows_(facts_of_rows(from.c, threads)),
      integer_(is_integer(p.c_type)) {
    c_rows_.resize(static_cast<std::size_t>(sums_.rows));
    add_product(from.a, from.b, specials::as_zero, threads, sums_, meter);
    meter.throw_if_stopped();
    if (integer_) {
        reduce_to_integers(from.c, threads);
        return;
    }
    if (p.alpha != 1 || p.beta != 0) include_factors(from.c, threads);
    if (!all_finite(a_rows_) || !all_finite(b_cols_) || !all_finite(c_rows_))
        include_specials(from, threads, meter);
}

void componentwise::include_factors(const source& c, int threads) {
    for_each_entry(sums_, threads, [&](std::int64_t i, std::int64_t j, std::size_t at) {
        const double raw = c.data == nullptr ? 0 : c.at(i, j);
        const double initial = std::isfinite(raw) ? raw : 0;
        double rounded_off = 0;
        double& low = sums_.low.empty() ? rounded_off : sums_.low[at];
        add_scaled(problem_.alpha, problem_.beta, initial, sums_.high[at], low);
        sums_.high[at] += rounded_off;
        sums_.absolute[at] =
            std::abs(problem_.alpha) * sums_.absolute[at] + std::abs(problem_.beta * initial);
    });
}

// Entries that must be NaN or Inf: a plain product finds them, in any order of summation.
void componentwise::include_specials(const sources& from, int threads, progress_meter& meter) {
    sum_matrix raw(sums_.rows, sums_.cols, false);
    add_product(from.a, from.b, specials::as_they_are, threads, raw, meter);
    meter.throw_if_stopped();
    for_each_entry(sums_, threads, [&](std::int64_t i, std::int64_t j, std::size_t at) {
        const double c = from.c.data == nullptr ? 0 : from.c.at(i, j);
        if (a_rows_[static_cast<std::size_t>(i)].finite &&
            b_cols_[static_cast<std::size_t>(j)].finite && std::isfinite(c))
            return;
        sums_.high[at] = problem_.alpha * raw.high[at] + problem_.beta * c;
    });
}

void componentwise::reduce_to_integers(const source& c, int threads) {
    const std::uint32_t alpha = modulo_32(problem_.alpha);
    const std::uint32_t beta = modulo_32(problem_.beta);
    for_each_entry(sums_, threads, [&](std::int64_t i, std::int64_t j, std::size_t at) {
        std::uint32_t value = modulo_32(sums_.high[at]);
        if (!sums_.low.empty()) value += modulo_32(sums_.low[at]);
        value *= alpha;
        if (c.data != nullptr) value += beta * modulo_32(c.at(i, j));
        sums_.high[at] = static_cast<double>(static_cast<std::int32_t>(value));
    });
}

finding componentwise::judge_integer(std::int64_t i, std::int64_t j, double got) const {
    const double expected = sums_.high[sums_.index(i, j)];
    const std::uint32_t apart = modulo_32(got) - modulo_32(expected);
    finding f;
    f.got = got;
    f.expected = expected;
    f.error = std::abs(static_cast<double>(static_cast<std::int32_t>(apart)));
    f.unit = 1;
    return f;
}

finding componentwise::judge(std::int64_t i, std::int64_t j, double got,
                             const bound& allowed) const {
    const line_facts& a = a_rows_[static_cast<std::size_t>(i)];
    const line_facts& b = b_cols_[static_cast<std::size_t>(j)];
    const int c_grid = c_rows_[static_cast<std::size_t>(i)].grid;
    const std::size_t at = sums_.index(i, j);
    const double magnitude = sums_.absolute[at];
    finding f;
    f.got = got;
    f.expected = sums_.high[at];
    f.unit = allowed.unit(magnitude);
    f.tolerance = allowed.of({.terms = std::min(a.nonzeros, b.nonzeros),
                              .magnitude = magnitude,
                              .value = std::isfinite(f.expected) ? f.expected : 0,
                              .neighbours = std::max(a.sum, b.sum),
                              .exact = allowed.is_exact(magnitude, a.grid, b.grid, c_grid)});
    if (std::isfinite(got) && std::isfinite(f.expected) && std::isfinite(magnitude)) {
        f.error = std::abs((got - f.expected) - (sums_.low.empty() ? 0 : sums_.low[at]));
        return f;
    }
    const bool special = !a.finite || !b.finite;
    const bool overflow = allowed.may_overflow(magnitude + f.tolerance, a.largest, b.largest);
    const bool excused = overflow && (!std::isfinite(got) || !special);
    const bool stored_as_infinity = std::isinf(got) &&
                                    std::signbit(got) == std::signbit(f.expected) &&
                                    allowed.rounds_to_infinity(f.expected, f.tolerance);
    f.tolerance = 0;
    f.error = excused || stored_as_infinity || same_special(got, f.expected) ? 0 : infinity;
    return f;
}

finding componentwise::examine(const source& c, std::int64_t i, std::int64_t j, double got,
                               const bound& allowed) const {
    finding f = integer_ ? judge_integer(i, j, got) : judge(i, j, got, allowed);
    f.row = name_of(row_names_, i);
    f.col = name_of(col_names_, j);
    f.unwritten = f.wrong() && is_poison(c.type, c.data, c.index(f.row, f.col));
    return f;
}

void componentwise::check(const source& c, const bound& allowed, int threads, tally& to) const {
    constexpr std::int64_t band = 32;
    constexpr std::int64_t width = 64;
    const bool selection = !row_names_.empty() || !col_names_.empty();
    std::mutex joining;
    workload::parallel_for((sums_.rows + band - 1) / band, threads, [&](std::int64_t index) {
        std::array<double, band * width> block;
        tally found;
        const std::int64_t i0 = index * band;
        const std::int64_t rows = std::min(band, sums_.rows - i0);
        for (std::int64_t j0 = 0; j0 < sums_.cols; j0 += width) {
            const std::int64_t cols = std::min(width, sums_.cols - j0);
            if (!selection) read_block(c, i0, j0, rows, cols, block.data(), width);
            for (std::int64_t i = i0; i < i0 + rows; ++i) {
                for (std::int64_t j = j0; j < j0 + cols; ++j) {
                    const double got =
                        selection ? c.at(name_of(row_names_, i), name_of(col_names_, j))
                                  : block[static_cast<std::size_t>((i - i0) * width + j - j0)];
                    found.add(examine(c, i, j, got, allowed));
                }
            }
        }
        const std::scoped_lock lock(joining);
        to.add(found);
    });
}

}  // namespace carat::verify
