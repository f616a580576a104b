// What C must be, entry by entry, and whether it is.
#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <mutex>
#include <utility>

#include "core/dtype_traits.hpp"
#include "lab/verify/exact.hpp"
#include "lab/verify/exact_tables.hpp"
#include "lab/verify/poison.hpp"
#include "lab/verify/source.hpp"
#include "lab/workload/parallel.hpp"

namespace carat::verify {

namespace {

constexpr std::int64_t band_rows = 32;
constexpr std::int64_t band_cols = 128;

void add(mismatches& to, std::int64_t i, std::int64_t j, double got, double expected) {
    if (to.wrong++ == 0) {
        to.row = i;
        to.col = j;
        to.got = got;
        to.expected = expected;
    }
    const double error = std::abs(got - expected);
    to.largest_error = std::max(
        to.largest_error, std::isnan(error) ? std::numeric_limits<double>::infinity() : error);
}

// The earlier one of two findings is kept.
void add(mismatches& to, const mismatches& other) {
    if (other.wrong == 0) return;
    const std::int64_t wrong = to.wrong + other.wrong;
    const double largest = std::max(to.largest_error, other.largest_error);
    if (to.wrong == 0 || std::pair(other.row, other.col) < std::pair(to.row, to.col)) to = other;
    to.wrong = wrong;
    to.largest_error = largest;
}

template <class View>
mismatches compare(const View& product, const factors& with, const source& c, int threads) {
    mismatches all;
    std::mutex joining;
    workload::parallel_for((c.rows + band_rows - 1) / band_rows, threads, [&](std::int64_t band) {
        std::array<double, band_rows * band_cols> seen;
        mismatches found;
        const std::int64_t i0 = band * band_rows;
        const std::int64_t rows = std::min(band_rows, c.rows - i0);
        for (std::int64_t j0 = 0; j0 < c.cols; j0 += band_cols) {
            const std::int64_t cols = std::min(band_cols, c.cols - j0);
            read_block(c, i0, j0, rows, cols, seen.data(), band_cols);
            for (std::int64_t i = 0; i < rows; ++i) {
                const double* got = seen.data() + i * band_cols;
                for (std::int64_t j = 0; j < cols; ++j) {
                    const double entry = product.entry(i0 + i, j0 + j);
                    const double right = with.of(entry, i0 + i, j0 + j);
                    if (got[j] == right) continue;
                    const double rounded = stored(c.type, right);
                    if (got[j] == rounded) continue;
                    // cuBLAS rounds to C's type before it adds beta C.
                    const double before_c = stored(c.type, with.before_c(entry, j0 + j));
                    if (got[j] == stored(c.type, with.with_c(before_c, i0 + i, j0 + j))) continue;
                    if (!(std::abs(got[j] - right) <= with.tolerance(entry, right, j0 + j)))
                        add(found, i0 + i, j0 + j, got[j], rounded);
                }
            }
        }
        const std::scoped_lock lock(joining);
        add(all, found);
    });
    return all;
}

}  // namespace

double stored(dtype type, double exact) {
    if (!is_floating(type)) return exact;
    return core::visit(type, [&](auto tag) {
        return static_cast<double>(static_cast<typename decltype(tag)::type>(exact));
    });
}

verdict exact_pass::conclude(const mismatches& found, bool unwritten) const {
    verdict v;
    v.passed = found.wrong == 0;
    v.how = method::exact;
    if (v.passed) return v;
    v.wrong = found.wrong;
    v.row = found.row;
    v.col = found.col;
    v.max_abs_error = found.largest_error;
    const std::string where = fmt::format("C({}, {})", found.row, found.col);
    v.reason = unwritten ? where + " was never written"
                         : fmt::format("{} is {}, and {} exactly in the pass of exact {}", where,
                                       found.got, found.expected, name(kind_));
    v.reason += fmt::format(" ({} of {} entries are wrong)", found.wrong, problem_.m * problem_.n);
    return v;
}

verdict exact_pass::check(const void* c) const {
    const source result = c_source(problem_, c);
    const int threads = result.rows * result.cols < 10000 ? 1 : threads_;
    mismatches found;
    if (problem_.k > 0 && kind_ == exact_kind::sums)
        found = compare(view_of(sums_tables(rows_, cols_, threads)), factors_, result, threads);
    else if (problem_.k > 0)
        found = compare(view_of(significands_tables(rows_, cols_), rows_, cols_), factors_, result,
                        threads);
    const bool unwritten =
        found.wrong > 0 && is_poison(result.type, c, result.index(found.row, found.col));
    return conclude(found, unwritten);
}

}  // namespace carat::verify
