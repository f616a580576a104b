#include <string>
#include <utility>

#include <carat/distribution.hpp>
#include <carat/error.hpp>

namespace carat::distributed {

namespace {

void require(bool holds, const std::string& message) {
    if (!holds) throw error(error_code::invalid_argument, "distribution: " + message);
}

void require_sizes(std::int64_t rows, std::int64_t cols, std::int64_t ranks) {
    require(rows >= 0 && cols >= 0, "the matrix is " + std::to_string(rows) + " x " +
                                        std::to_string(cols) + ", but sizes must be at least 0");
    require(ranks >= 1, std::to_string(ranks) + " ranks: there must be at least one");
}

// What process `at` of `processes` holds of a dimension of `size`.
index_set cyclic(std::int64_t size, std::int64_t block, int at, int processes, int first) {
    const std::int64_t turn = (at - first + processes) % processes;
    return {{0, size}, turn * block, block, block * processes};
}

std::uint64_t mixed(std::uint64_t sum, std::int64_t value) {
    sum = (sum ^ static_cast<std::uint64_t>(value)) * 0x9e3779b97f4a7c15U;
    return sum ^ (sum >> 29U);
}

std::uint64_t mixed(std::uint64_t sum, const index_set& s) {
    for (const std::int64_t x : {s.within.begin, s.within.end, s.phase, s.block, s.period})
        sum = mixed(sum, x);
    return sum;
}

}  // namespace

std::vector<index_range> index_set::runs(index_range window) const {
    std::vector<index_range> found;
    const index_range part = common(within, window);
    if (part.empty() || block <= 0) return found;
    if (block >= period) return {part};
    const std::int64_t shifted = part.begin - phase;
    std::int64_t turn = shifted >= 0 ? shifted / period : -((-shifted + period - 1) / period);
    for (;; ++turn) {
        const std::int64_t at = phase + turn * period;
        if (at >= part.end) return found;
        if (const index_range run = common({at, at + block}, part); !run.empty())
            found.push_back(run);
    }
}

distribution distribution::replicated(std::int64_t rows, std::int64_t cols) {
    require_sizes(rows, cols, 1);
    distribution d;
    d.rows_ = rows;
    d.cols_ = cols;
    return d;
}

distribution distribution::of_shares(std::int64_t rows, std::int64_t cols,
                                     std::vector<share> shares) {
    require_sizes(rows, cols, static_cast<std::int64_t>(shares.size()));
    std::int64_t left = rows * cols;
    for (const share& s : shares) left -= s.rows.size() * s.cols.size();
    require(left == 0, "shares of a " + std::to_string(rows) + " x " + std::to_string(cols) +
                           " matrix hold " + std::to_string(rows * cols - left) +
                           " elements: each must be in exactly one");
    distribution d;
    d.rows_ = rows;
    d.cols_ = cols;
    d.shares_ = std::make_shared<const std::vector<share>>(std::move(shares));
    return d;
}

distribution distribution::by_rows(std::int64_t rows, std::int64_t cols, int ranks) {
    return by_blocks(rows, cols, ranks, 1);
}

distribution distribution::by_columns(std::int64_t rows, std::int64_t cols, int ranks) {
    return by_blocks(rows, cols, 1, ranks);
}

distribution distribution::by_blocks(std::int64_t rows, std::int64_t cols, int grid_rows,
                                     int grid_cols) {
    require_sizes(rows, cols, std::min(grid_rows, grid_cols));
    std::vector<share> shares;
    for (int r = 0; r < grid_rows; ++r)
        for (int c = 0; c < grid_cols; ++c)
            shares.push_back({even_part(rows, r, grid_rows), even_part(cols, c, grid_cols)});
    return of_shares(rows, cols, std::move(shares));
}

distribution distribution::block_cyclic(std::int64_t rows, std::int64_t cols,
                                        std::int64_t block_rows, std::int64_t block_cols,
                                        const process_grid& grid) {
    require_sizes(rows, cols, std::min(grid.rows, grid.cols));
    require(block_rows >= 1 && block_cols >= 1, "blocks of " + std::to_string(block_rows) + " x " +
                                                    std::to_string(block_cols) +
                                                    ": both sizes must be at least 1");
    require(grid.first_row >= 0 && grid.first_row < grid.rows && grid.first_col >= 0 &&
                grid.first_col < grid.cols,
            "the first block is at process (" + std::to_string(grid.first_row) + ", " +
                std::to_string(grid.first_col) + ") of a grid of " + std::to_string(grid.rows) +
                " x " + std::to_string(grid.cols) + ": name one of the grid");
    std::vector<share> shares;
    for (int rank = 0; rank < grid.rows * grid.cols; ++rank) {
        const int r = grid.column_major ? rank % grid.rows : rank / grid.cols;
        const int c = grid.column_major ? rank / grid.rows : rank % grid.cols;
        shares.push_back({cyclic(rows, block_rows, r, grid.rows, grid.first_row),
                          cyclic(cols, block_cols, c, grid.cols, grid.first_col)});
    }
    return of_shares(rows, cols, std::move(shares));
}

std::uint64_t distribution::fingerprint() const {
    std::uint64_t sum = mixed(mixed(mixed(1, rows()), cols()), ranks());
    for (int rank = 0; rank < ranks(); ++rank)
        sum = mixed(mixed(sum, of(rank).rows), of(rank).cols);
    return sum;
}

}  // namespace carat::distributed
