// A matrix of any element type, read as doubles (exact for all of them), and what a bound needs to
// know about each of its rows or columns.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <carat/types.hpp>

#include "core/problem.hpp"

namespace carat::verify {

struct source {
    const void* data = nullptr;
    dtype type = dtype::f64;
    std::int64_t rows = 0;
    std::int64_t cols = 0;
    core::layout where;

    [[nodiscard]] std::int64_t index(std::int64_t i, std::int64_t j) const {
        return i * where.row_stride + j * where.col_stride;
    }
    [[nodiscard]] double at(std::int64_t i, std::int64_t j) const;
    [[nodiscard]] source transposed() const {
        return {data, type, cols, rows, {where.col_stride, where.row_stride}};
    }
};

[[nodiscard]] source a_source(const core::problem& p, const core::operands& o);
[[nodiscard]] source b_source(const core::problem& p, const core::operands& o);
[[nodiscard]] source c_source(const core::problem& p, const void* c);

// Writes the block of `from` that starts at (i, j) to out[row * leading + col].
void read_block(const source& from, std::int64_t i, std::int64_t j, std::int64_t rows,
                std::int64_t cols, double* out, std::int64_t leading);

// The named rows of a matrix, copied; `view()` has them in the order named.
class row_selection {
  public:
    row_selection() = default;
    row_selection(const source& from, std::span<const std::int64_t> rows);
    [[nodiscard]] source view() const {
        return {values_.data(), dtype::f64, rows_, cols_, core::row_major(cols_)};
    }

  private:
    std::int64_t rows_ = 0;
    std::int64_t cols_ = 0;
    std::vector<double> values_;
};

// Facts of one row, over its finite elements.
struct line_facts {
    // Every element is a multiple of 2^grid; any power if all are zero.
    static constexpr int any_grid = std::numeric_limits<int>::max() / 4;

    std::int64_t nonzeros = 0;
    int grid = any_grid;
    bool finite = true;
    double largest = 0;  // magnitude
    double sum = 0;      // of magnitudes, rounded
};

[[nodiscard]] std::vector<line_facts> facts_of_rows(const source& from, int threads);

// The exponent of the lowest bit set in a finite number.
[[nodiscard]] int grid_of(double value);

}  // namespace carat::verify
