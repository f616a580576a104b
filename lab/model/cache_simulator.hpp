// Caches by the book: sets of a few ways, with least-recently-used replacement (LRU). Real caches
// replace a little differently and prefetch; this simulates locality alone.
#pragma once

#include <cstdint>
#include <vector>

#include "lab/model/schedule.hpp"

namespace carat::model {

struct geometry {
    std::int64_t size_bytes = 32 << 10;
    int line_bytes = 64;
    int ways = 8;  // 0: fully associative

    [[nodiscard]] std::int64_t lines() const { return size_bytes / line_bytes; }
    [[nodiscard]] std::int64_t sets() const { return ways == 0 ? 1 : lines() / ways; }
};

class cache {
  public:
    /// @throws carat::error(invalid_argument) when the geometry gives no whole, positive number of
    /// sets.
    explicit cache(const geometry& shape);

    /// Whether the line at `address` was there; it is now, and is the one used last.
    bool access(std::uint64_t address);

  private:
    std::uint64_t line_bytes_;
    std::size_t ways_;
    std::vector<std::vector<std::uint64_t>> sets_;  // of line numbers, the one used last in front
};

struct operand_counts {
    std::int64_t a = 0, b = 0, c = 0;

    [[nodiscard]] std::int64_t total() const { return a + b + c; }
    bool operator==(const operand_counts&) const = default;
};

struct simulation {
    operand_counts accesses;             // loads and stores
    std::vector<operand_counts> misses;  // of each level, from the innermost
};

// The row-major layout of the three matrices: rows of A are `a_stride` elements apart. 0: rows are
// contiguous. A, B and C each begin on a page.
struct placement {
    int element_bytes = 8;
    std::int64_t a_stride = 0, b_stride = 0, c_stride = 0;
};

/// Runs every access of C += A B through `levels`, from the innermost: a level is asked only for
/// what those before it missed. About 30 million accesses a second; a product has 2 to 3 m n k.
/// @throws carat::error(invalid_argument) for a stride below a row's length and as cache() does.
[[nodiscard]] simulation simulate(const schedule& s, const sizes& all, const placement& where,
                                  const std::vector<geometry>& levels);

}  // namespace carat::model
