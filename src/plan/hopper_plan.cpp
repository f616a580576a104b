#include "plan/hopper_plan.hpp"

#include <algorithm>
#include <optional>

#include "plan/cpu_plan.hpp"

namespace carat::plan {

namespace {

constexpr int widths[] = {16, 32, 64, 128, 256};
constexpr int wide = 256;
constexpr int line_bytes = 128;  // of K: one step of a block

// What a step of 128 bytes of K takes a multiprocessor: the tensor cores 2.3 ns for each column of
// a tile of 128 rows (and no less than 64 columns, for reading A), and what it reads its time on
// the way from L2.
constexpr double column_s = 2.3e-9;
constexpr int fewest_columns = 64;
constexpr double l2_bytes_per_s = 72e9;  // to one multiprocessor
constexpr double memory_bytes_per_s = 4.4e12;
constexpr double around_s = 3.5e-6;         // a kernel's beginning and end, of many on a stream
constexpr double column_of_sums_s = 12e-9;  // leaving a tile of C
constexpr double meeting_s = 1.6e-6;        // of the blocks that share K
constexpr double sending_s = 0.25e-6;       // and each one's sums to the others

struct way {
    std::int64_t m, n;
    std::int64_t steps;
    int tile_m;
    int tile_n;
    int parts;
};

double seconds(const way& w, const hopper_request& of) {
    const bool is_wide = w.tile_n == wide;
    // Two blocks with wide tiles below each other share B.
    const std::int64_t rows = ceil_div(w.m, is_wide ? 2 * w.tile_m : w.tile_m) * (is_wide ? 2 : 1);
    const std::int64_t blocks = rows * ceil_div(w.n, w.tile_n) * w.parts;
    const auto rounds = static_cast<double>(ceil_div(blocks, of.multiprocessors));
    const auto steps = static_cast<double>(ceil_div(w.steps, w.parts));
    const double read = line_bytes * (w.tile_m + (is_wide ? w.tile_n / 2 : w.tile_n));
    const double full = w.tile_m / 128.0;  // both warpgroups' work
    const double step =
        std::max(column_s * full * std::max(w.tile_n, fewest_columns), read / l2_bytes_per_s);
    const double leaving = column_of_sums_s * full * w.tile_n / w.parts;
    const double bytes = static_cast<double>((of.m + of.n) * of.k) * of.operand_bytes +
                         static_cast<double>(of.m * of.n) * of.result_bytes;
    return around_s + std::max(rounds * (steps * step + leaving), bytes / memory_bytes_per_s) +
           (w.parts > 1 ? meeting_s + sending_s * w.parts : 0);
}

// A tile narrower than the line of 128 bytes along which its B lies has no kernel, and the wide one
// writes rows only.
bool exists(const hopper_request& of, bool turned, int tile_m, int tile_n, int parts) {
    if (tile_m < 128 && tile_n > 64) return false;
    if (tile_n == wide) return parts == 1 && turned != of.c_by_rows;
    const bool along_k = turned ? of.a_along_k : of.b_along_k;
    return along_k || tile_n * of.operand_bytes >= line_bytes;
}

std::optional<hopper_plan> best_of(const hopper_request& of, int tile_m, int tile_n, int parts) {
    std::optional<hopper_plan> best;
    const std::int64_t steps = ceil_div(of.k * of.operand_bytes, line_bytes);
    if (parts > steps) return best;
    for (const bool turned : {!of.c_by_rows, of.c_by_rows}) {
        if (!exists(of, turned, tile_m, tile_n, parts)) continue;
        const way w{turned ? of.n : of.m, turned ? of.m : of.n, steps, tile_m, tile_n, parts};
        const double taken = seconds(w, of);
        if (!best || taken < best->seconds) best = {turned, tile_m, tile_n, parts, taken};
    }
    return best;
}

// Of one tile: in as many parts as asked for, or in the best number of them.
std::optional<hopper_plan> best_parts(const hopper_request& of, int tile_m, int tile_n) {
    std::optional<hopper_plan> best;
    for (const int parts : {8, 4, 2, 1}) {
        if (of.parts != 0 && parts > of.parts) continue;
        const auto one = best_of(of, tile_m, tile_n, parts);
        if (one && (!best || one->seconds < best->seconds)) best = one;
        if (one && of.parts != 0) break;
    }
    return best;
}

}  // namespace

hopper_plan make_hopper_plan(const hopper_request& wanted) {
    std::optional<hopper_plan> best;
    for (const int tile_n : widths) {
        if (tile_n < wanted.tile_n) continue;
        for (const int tile_m : {64, 128}) {
            if (wanted.tile_m != 0 && tile_m < wanted.tile_m) continue;
            const auto one = best_parts(wanted, tile_m, tile_n);
            if (one && (!best || one->seconds < best->seconds)) best = one;
            if (one && wanted.tile_m != 0) break;
        }
        if (best && wanted.tile_n != 0) break;
    }
    return *best;  // wide tiles in one part always exist
}

}  // namespace carat::plan
