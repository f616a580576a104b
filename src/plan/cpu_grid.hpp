// How a product is divided among threads: into rectangles of C, and where those are too few for the
// threads also along K.
#pragma once

#include <cstdint>

#include "plan/cpu_plan.hpp"

namespace carat::plan {

struct grid {
    int m = 1;
    int n = 1;
    // Multiplications of the largest rectangle for each step of k, with what packing costs. 0 for a
    // single thread.
    double cost = 0;
};

struct grid_costs {
    double least_per_thread;  // multiplications that make a thread worth waking
    double packing_a;         // of an element, in multiplications
    double packing_b;
    bool pads = false;  // a micropanel in part costs what a whole one does
    // Where threads with the same columns share panels of B: the columns of all panels at a time,
    // and the rows that meet a panel between two reads of it from L3. Otherwise 0.
    std::int64_t shared_columns = 0;
    std::int64_t rows_at_once = 0;
    // A thread with fewer rows has them in one piece, so that no other can help it when it is late.
    std::int64_t rows_of_two_pieces = 0;
};

[[nodiscard]] inline double multiplications(const request& r) {
    return static_cast<double>(r.m) * static_cast<double>(r.n) * static_cast<double>(r.k);
}

// The grid with the least work in its largest rectangle, and to pack for it; among equals the most
// parts of m.
[[nodiscard]] grid choose_grid(const request& r, int mr, int nr, const grid_costs& costs);

struct division {
    grid of_c;
    int parts_of_k = 1;
};

// The same, also along K if that is sooner done: in whole blocks of kc, each with sums of its own,
// which are added to C in their order.
[[nodiscard]] division divide(const request& r, int mr, int nr, std::int64_t kc,
                              const grid_costs& costs);

}  // namespace carat::plan
