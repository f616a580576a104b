#include "lab/verify/exact_tables.hpp"

#include <algorithm>
#include <array>
#include <mutex>

#include "lab/workload/parallel.hpp"

namespace carat::verify {

namespace {

std::size_t at(std::int64_t index) {
    return static_cast<std::size_t>(index);
}

std::vector<bool> bases_in_use(const line_rules& r) {
    std::vector<bool> used(base_lines, r.lines >= base_lines);
    for (std::int64_t line = 0; line < std::min<std::int64_t>(r.lines, base_lines); ++line)
        used[at(base_of(r, line))] = true;
    return used;
}

sums_tables::side side_of(const line_rules& r) {
    sums_tables::side made;
    for (std::int64_t line = 0; line < r.lines; ++line) {
        made.bases.push_back(base_of(r, line));
        made.changes.push_back(change_of(r, line));
    }
    return made;
}

// T over some k, added to `sums`.
void add_products(const line_rules& rows, const line_rules& cols, std::int64_t first,
                  std::int64_t last, const std::vector<bool>& rows_used,
                  const std::vector<bool>& cols_used, std::vector<double>& sums) {
    std::array<double, base_lines> y{};
    for (std::int64_t k = first; k < last; ++k) {
        for (int base = 0; base < base_lines; ++base)
            if (cols_used[at(base)]) y[at(base)] = static_cast<double>(base_value(cols, base, k));
        for (int base = 0; base < base_lines; ++base) {
            if (!rows_used[at(base)]) continue;
            const auto x = static_cast<double>(base_value(rows, base, k));
            double* to = sums.data() + base * base_lines;
            for (std::size_t j = 0; j < base_lines; ++j) to[j] += x * y[j];
        }
    }
}

// Whole numbers below 2^53 in any order: doubles are exact.
std::vector<double> base_products(const line_rules& rows, const line_rules& cols, int threads) {
    constexpr std::int64_t chunk = 512;
    const std::vector<bool> rows_used = bases_in_use(rows);
    const std::vector<bool> cols_used = bases_in_use(cols);
    std::vector<double> table(at(base_lines * base_lines));
    std::mutex joining;
    const std::int64_t chunks = (rows.depth + chunk - 1) / chunk;
    workload::parallel_for(chunks, chunks < 4 ? 1 : threads, [&](std::int64_t index) {
        std::vector<double> sums(table.size());
        add_products(rows, cols, index * chunk, std::min(rows.depth, (index + 1) * chunk),
                     rows_used, cols_used, sums);
        const std::scoped_lock lock(joining);
        for (std::size_t i = 0; i < table.size(); ++i) table[i] += sums[i];
    });
    return table;
}

double term(const element_change& change, const line_rules& other, int base) {
    if (change.k < 0) return 0;
    return static_cast<double>(change.added * base_value(other, base, change.k));
}

significands_tables::side side_of(const line_rules& r, const line_rules& other) {
    significands_tables::side made;
    for (std::int64_t line = 0; line < r.lines; ++line) {
        made.words.push_back(word(r, stream::line, line));
        made.scales.push_back(scale_of(r, line));
        for (std::int64_t pick = 0; pick < r.picks; ++pick) {
            const std::int64_t k = pick_of(r, line, pick);
            made.picks.push_back(
                k < 0 ? pick_place{}
                      : pick_place{pick_sign(r, line, pick), word(other, stream::depth, k)});
        }
    }
    return made;
}

}  // namespace

std::vector<double> base_values(const line_rules& r, int threads) {
    std::vector<double> values(at(r.depth * base_lines));
    const std::vector<bool> used = bases_in_use(r);
    workload::parallel_for(r.depth, r.depth < 100 ? 1 : threads, [&](std::int64_t k) {
        for (int base = 0; base < base_lines; ++base)
            if (used[at(base)])
                values[at(k * base_lines + base)] = static_cast<double>(base_value(r, base, k));
    });
    return values;
}

sums_tables::sums_tables(const line_rules& of_rows, const line_rules& of_cols, int threads)
    : rows(side_of(of_rows)),
      cols(side_of(of_cols)),
      row_terms(at(of_rows.lines * base_lines)),
      column_terms(at(base_lines * of_cols.lines)) {
    const std::vector<double> table = base_products(of_rows, of_cols, threads);
    for (std::int64_t i = 0; i < of_rows.lines; ++i)
        for (int y = 0; y < base_lines; ++y)
            row_terms[at(i * base_lines + y)] = table[at(rows.bases[at(i)] * base_lines + y)] +
                                                term(rows.changes[at(i)], of_cols, y);
    for (std::int64_t j = 0; j < of_cols.lines; ++j)
        for (int x = 0; x < base_lines; ++x)
            column_terms[at(x * of_cols.lines + j)] = term(cols.changes[at(j)], of_rows, x);
}

significands_tables::significands_tables(const line_rules& of_rows, const line_rules& of_cols)
    : rows(side_of(of_rows, of_cols)), cols(side_of(of_cols, of_rows)) {}

sums_view view_of(const sums_tables& t) {
    return {t.rows.bases.data(),
            t.cols.bases.data(),
            t.rows.changes.data(),
            t.cols.changes.data(),
            t.row_terms.data(),
            t.column_terms.data(),
            static_cast<std::int64_t>(t.cols.bases.size())};
}

significands_view view_of(const significands_tables& t, const line_rules& rows,
                          const line_rules& cols) {
    return {rows,
            cols,
            t.rows.words.data(),
            t.cols.words.data(),
            t.rows.scales.data(),
            t.cols.scales.data(),
            t.rows.picks.data(),
            t.cols.picks.data()};
}

}  // namespace carat::verify
