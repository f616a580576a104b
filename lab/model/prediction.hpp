// The least time a schedule can take on a machine: its units compute and every link between two
// levels of memory carries what the schedule moves over it, all at once and at their measured best.
// The slowest of them is the bound. This is the roofline with one slope for each link and with the
// schedule's own traffic, where the plain roofline counts what any algorithm must move.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lab/model/misses.hpp"
#include "lab/model/tile.hpp"

namespace carat::model {

// A memory, from the innermost cache to main memory.
struct level {
    std::string name;           // "L1"
    double capacity_bytes = 0;  // what one thread may fill; of main memory it is not asked
    double gb_per_s = 0;        // reading from it, all threads together; 0: not measured
    int line_bytes = 64;
};

// What moves into the core or the cache before this level.
struct flow {
    std::string from;  // the level it is read from
    double bytes = 0;  // C counts twice: read and written back
    double time_s = 0;
    std::string_view kept;  // what the cache before keeps, or the core; empty: sums in registers
};

struct prediction {
    std::vector<flow> flows;  // as many as levels
    double compute_s = 0;
    double time_s = 0;
    double gflops = 0;
    std::string bound;  // "compute", or the level whose link is slowest
};

/// `levels` from the innermost to main memory, at least one. Only what was measured takes time:
/// with `peak_gflops` 0 and bandwidths 0 the prediction has no time, and `bound` is empty.
[[nodiscard]] prediction predict(const schedule& s, const sizes& all, element_bytes each,
                                 const std::vector<level>& levels, double peak_gflops);

// The smallest level that holds the working set, or the last.
[[nodiscard]] level level_holding(const std::vector<level>& levels, double bytes);

// A packed product as in Goto: mr x nr sums in registers, a kc x nr micropanel of B in L1, an mc x
// kc block of A in L2, a kc x nc panel of B in L3. One for each of threads_m x threads_n rectangles
// of C.
struct packed {
    double mr = 1, nr = 1, mc = 1, nc = 1, kc = 1;
    double threads_m = 1, threads_n = 1;
    bool packs = true;     // else the operands are read where they lie
    bool keeps_c = false;  // in L2 until its sums are complete, else C comes back for each kc
};

/// Levels beyond four are not fed; with fewer, the outermost flows come from the last. A packed
/// block of A is written to L2 besides.
/// C is written, and not read first (beta = 0).
[[nodiscard]] prediction predict(const packed& p, const sizes& all, element_bytes each,
                                 const std::vector<level>& levels, double peak_gflops);

/// A product on a GPU whose blocks keep a tile of A and one of B in shared memory and their sums in
/// registers. `levels` are L2 and the memory beyond it, which moves every operand once unless L2
/// holds them all.
[[nodiscard]] prediction predict_gpu(double tile, const sizes& all, element_bytes each,
                                     const std::vector<level>& levels, double peak_gflops);

}  // namespace carat::model
