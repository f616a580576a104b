// What the entries of an exact pass consist of, for each row and column. The host makes it; the
// host or a GPU compares with it. Internal to verification.
#pragma once

#include <cstdint>
#include <vector>

#include <carat/types.hpp>

#include "lab/verify/exact_rules.hpp"

namespace carat::verify {

// The stored value: a sum that C's type cannot hold is rounded once.
[[nodiscard]] double stored(dtype type, double exact);

// The elements of all base lines: K x 64.
[[nodiscard]] std::vector<double> base_values(const line_rules& r, int threads);

// C(i,j) = T(x, y) + e y'(s) + x'(t) f, and e f where s = t, for a row after base x that differs
// by e at s, and a column after base y that differs by f at t.
struct sums_tables {
    struct side {
        std::vector<int> bases;
        std::vector<element_change> changes;
    };
    side rows;
    side cols;
    std::vector<double> row_terms;     // of each row for each base column: T + e y', M x 64
    std::vector<double> column_terms;  // of each base row for each column: x' f, 64 x N

    sums_tables(const line_rules& of_rows, const line_rules& of_cols, int threads);
};

// What an entry is computed from; pointers to a sums_tables, wherever they lie.
struct sums_view {
    const int* row_bases;
    const int* column_bases;
    const element_change* row_changes;
    const element_change* column_changes;
    const double* row_terms;
    const double* column_terms;
    std::int64_t cols;

    CARAT_HOST_DEVICE double entry(std::int64_t i, std::int64_t j) const {
        const element_change row = row_changes[i];
        const element_change column = column_changes[j];
        const double both =
            row.k >= 0 && row.k == column.k ? static_cast<double>(row.added * column.added) : 0;
        return row_terms[i * base_lines + column_bases[j]] + column_terms[row_bases[i] * cols + j] +
               both;
    }
};

[[nodiscard]] sums_view view_of(const sums_tables& t);

// A line's pick: its sign, 0 where it is beyond K, and the word of its k on the other side.
struct pick_place {
    std::int64_t sign = 0;
    std::uint64_t depth_word = 0;
};

// C(i,j) = scales x (the sum over the picks of column j of A's significands there, and over those
// of row i of B's).
struct significands_tables {
    struct side {
        std::vector<std::uint64_t> words;
        std::vector<double> scales;
        std::vector<pick_place> picks;  // lines x picks
    };
    side rows;
    side cols;

    significands_tables(const line_rules& of_rows, const line_rules& of_cols);
};

struct significands_view {
    line_rules of_rows;
    line_rules of_cols;
    const std::uint64_t* row_words;
    const std::uint64_t* column_words;
    const double* row_scales;
    const double* column_scales;
    const pick_place* row_picks;
    const pick_place* column_picks;

    CARAT_HOST_DEVICE double entry(std::int64_t i, std::int64_t j) const {
        std::int64_t sum = 0;
        const pick_place* place = column_picks + j * of_cols.picks;
        for (std::int64_t pick = 0; pick < of_cols.picks; ++pick, ++place)
            sum += place->sign * significand(of_rows, row_words[i], place->depth_word);
        place = row_picks + i * of_rows.picks;
        for (std::int64_t pick = 0; pick < of_rows.picks; ++pick, ++place)
            sum += place->sign * significand(of_cols, column_words[j], place->depth_word);
        return static_cast<double>(sum) * row_scales[i] * column_scales[j];
    }
};

[[nodiscard]] significands_view view_of(const significands_tables& t, const line_rules& rows,
                                        const line_rules& cols);

}  // namespace carat::verify
