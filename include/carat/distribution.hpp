// Which elements of a matrix each rank holds. A rank holds the elements whose row is in one index
// set and whose column is in another; its local matrix has these rows and columns in ascending
// order. Rows, columns, blocks and ScaLAPACK's block-cyclic layout all have this form.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include <carat/export.hpp>

namespace carat::distributed {

// The sizes of a product: M rows of A and C, N columns of B and C, and K, which is summed over.
enum class dimension : std::uint8_t { m, n, k };

struct index_range {
    std::int64_t begin = 0;
    std::int64_t end = 0;

    [[nodiscard]] constexpr std::int64_t size() const { return end - begin; }
    [[nodiscard]] constexpr bool empty() const { return end <= begin; }
    [[nodiscard]] constexpr bool contains(index_range other) const {
        return other.empty() || (begin <= other.begin && other.end <= end);
    }
    bool operator==(const index_range&) const = default;
};

[[nodiscard]] constexpr index_range common(index_range x, index_range y) {
    const index_range both{std::max(x.begin, y.begin), std::min(x.end, y.end)};
    return both.empty() ? index_range{} : both;
}

// Part `i` of `parts` consecutive ones of [0, size), whose sizes differ by at most one.
[[nodiscard]] constexpr index_range even_part(std::int64_t size, std::int64_t i,
                                              std::int64_t parts) {
    const std::int64_t whole = size / parts, rest = size % parts;
    return {whole * i + rest * i / parts, whole * (i + 1) + rest * (i + 1) / parts};
}

// The indices i of `within` with (i - phase) mod period < block.
struct index_set {
    index_range within;
    std::int64_t phase = 0;
    std::int64_t block = 1;
    std::int64_t period = 1;

    index_set() = default;
    // All indices of a range.
    constexpr index_set(index_range all) : within(all) {}  // NOLINT: a range is such a set
    constexpr index_set(index_range w, std::int64_t first, std::int64_t size, std::int64_t step)
        : within(w), phase(first), block(size), period(step) {}

    // How many members are below i.
    [[nodiscard]] constexpr std::int64_t below(std::int64_t i) const {
        const index_range part = common(within, {within.begin, i});
        return part.empty() ? 0 : count(part.end) - count(part.begin);
    }
    [[nodiscard]] constexpr std::int64_t size() const { return below(within.end); }

    // The maximal runs of members in `window`, in ascending order.
    [[nodiscard]] CARAT_API std::vector<index_range> runs(index_range window) const;

    bool operator==(const index_set&) const = default;

  private:
    // Members of the unbounded pattern in [phase - something whole, i), up to a constant.
    [[nodiscard]] constexpr std::int64_t count(std::int64_t i) const {
        const std::int64_t shifted = i - phase;
        const std::int64_t turns =
            shifted >= 0 ? shifted / period : -((-shifted + period - 1) / period);
        return turns * block + std::min(shifted - turns * period, block);
    }
};

// The rows and columns that one rank holds.
struct share {
    index_set rows;
    index_set cols;

    bool operator==(const share&) const = default;
};

// A grid of processes, and the one that holds the first block.
struct process_grid {
    int rows = 1;
    int cols = 1;
    int first_row = 0;
    int first_col = 0;
    bool column_major = false;  // how ranks are numbered in the grid; row-major is BLACS' default
};

class distribution {
  public:
    distribution() = default;

    // Every rank holds the whole matrix.
    [[nodiscard]] CARAT_API static distribution replicated(std::int64_t rows, std::int64_t cols);
    // Consecutive rows, or columns, whose numbers differ by at most one.
    [[nodiscard]] CARAT_API static distribution by_rows(std::int64_t rows, std::int64_t cols,
                                                        int ranks);
    [[nodiscard]] CARAT_API static distribution by_columns(std::int64_t rows, std::int64_t cols,
                                                           int ranks);
    // One block for each rank of a grid of grid_rows x grid_cols ranks, numbered by rows; ranks
    [[nodiscard]] CARAT_API static distribution by_blocks(std::int64_t rows, std::int64_t cols,
                                                          int grid_rows, int grid_cols);
    // ScaLAPACK's: blocks of block_rows x block_cols, dealt to the grid in turn.
    [[nodiscard]] CARAT_API static distribution block_cyclic(std::int64_t rows, std::int64_t cols,
                                                             std::int64_t block_rows,
                                                             std::int64_t block_cols,
                                                             const process_grid& grid);
    // Any shares, that of rank r at [r]. Every element must be in exactly one of them.
    [[nodiscard]] CARAT_API static distribution of_shares(std::int64_t rows, std::int64_t cols,
                                                          std::vector<share> shares);

    // The size of the whole matrix.
    [[nodiscard]] std::int64_t rows() const { return transposed_ ? cols_ : rows_; }
    [[nodiscard]] std::int64_t cols() const { return transposed_ ? rows_ : cols_; }
    [[nodiscard]] bool is_replicated() const { return !shares_; }
    // Ranks that it is made for; 0: any number.
    [[nodiscard]] int ranks() const { return shares_ ? static_cast<int>(shares_->size()) : 0; }
    [[nodiscard]] share of(int rank) const {
        if (!shares_) return {index_range{0, rows()}, index_range{0, cols()}};
        const share& own = (*shares_)[static_cast<std::size_t>(rank)];
        return transposed_ ? share{own.cols, own.rows} : own;
    }
    // The layout of the transpose, whose local matrices are the transposes of these.
    [[nodiscard]] distribution transposed() const {
        distribution other = *this;
        other.transposed_ = !transposed_;
        return other;
    }
    // A number that two different layouts hardly share.
    [[nodiscard]] CARAT_API std::uint64_t fingerprint() const;

  private:
    std::int64_t rows_ = 0;
    std::int64_t cols_ = 0;
    bool transposed_ = false;
    std::shared_ptr<const std::vector<share>> shares_;  // null: replicated
};

}  // namespace carat::distributed
