// How many lines a schedule moves into a cache, in closed form. Under LRU a line is still there
// when it is wanted again if fewer other lines were touched meanwhile than the cache holds. The
// loops give that number for each kind of reuse, so misses fall in steps as the cache grows:
//
//   misses ^
//          |----+                       each step: the cache now also holds ...
//          |    +------+                a row of A and a column's lines of B,
//          |           +---------+      a tile of B, three tiles, a row of tiles of A, everything
//          +-------------------------> lines of the cache
//
// Exact for a fully associative cache on every flat part, when the line divides the rows and the
// tile, the tile divides the matrices, and a tile has 2 x 2 elements or more (the simulator agrees
// to the line). Elsewhere it is a model; real caches have sets, and conflicts in them (ADR 0090).
#pragma once

#include <string_view>
#include <vector>

#include "lab/model/schedule.hpp"

namespace carat::model {

struct line_length {
    double ab = 1;  // elements of A or B in a line
    double c = 1;   // elements of C in a line
};

// Lines moved in; doubles, because sizes need not divide and counts may exceed 64 bits.
struct line_counts {
    double a = 0, b = 0, c = 0;

    [[nodiscard]] double total() const { return a + b + c; }
};

struct plateau {
    double from_lines = 0;  // holds for caches of so many lines,
    double to_lines = 0;    // and fewer than these; beyond lies a slope to the next
    line_counts misses;
    std::string_view holds;  // what the cache keeps until it is wanted again
};

/// Ordered from the smallest cache to the largest; some may be empty (to_lines <= from_lines).
[[nodiscard]] std::vector<plateau> plateaus(const schedule& s, const sizes& all,
                                            const line_length& line);

/// The best step that a cache of `lines` has reached. On a slope that is the upper end.
[[nodiscard]] plateau misses_at(const schedule& s, const sizes& all, const line_length& line,
                                double lines);

// Loads and stores of the core itself, element by element.
struct access_counts {
    double a = 0, b = 0, c_loads = 0, c_stores = 0;
};
[[nodiscard]] access_counts accesses(const schedule& s, const sizes& all);

}  // namespace carat::model
