// The arithmetic of the models, once for the library and for the report's page: formulas.cmake
// turns this file into JavaScript. It keeps to what both languages have, and numbers are doubles:
//
//   [[nodiscard]] inline TYPE name(TYPE a, const TYPE& b) {   one line a head, if and for as usual,
//   const TYPE x = ...;  double x = ...;                      .field = in every aggregate,
//   std::vector<TYPE> all;  all.push_back(...);               ceil, floor, min and max of std
#pragma once

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "lab/model/misses.hpp"
#include "lab/model/occupancy.hpp"
#include "lab/model/prediction.hpp"
#include "lab/model/tile.hpp"

namespace carat::model::formulas {

struct extents {
    double m = 0, n = 0, k = 0;
};

// A schedule: tiles of an edge or none, and inside them dot products or updates of rows.
struct loops {
    bool tiled = false, dot_products = false;
    double tile = 0;
};

[[nodiscard]] inline double operations(const extents& all) {
    return 2 * all.m * all.n * all.k;
}

// The extents of one tile product, or of the matrices if there are no tiles.
[[nodiscard]] inline extents tile_of(const loops& s, const extents& all) {
    if (!s.tiled) return all;
    return {
        .m = std::min(s.tile, all.m), .n = std::min(s.tile, all.n), .k = std::min(s.tile, all.k)};
}

[[nodiscard]] inline double bytes_of(const extents& t, const element_bytes& each, double c_passes) {
    return (t.m * t.k + t.k * t.n) * each.ab + c_passes * t.m * t.n * each.c;
}

[[nodiscard]] inline double working_set(const loops& s, const extents& all,
                                        const element_bytes& each) {
    return bytes_of(tile_of(s, all), each, 1);
}

[[nodiscard]] inline reuse reuse_of(const loops& s, const extents& all) {
    const extents t = tile_of(s, all);
    return {.a = t.n, .b = t.m, .c = t.k};
}

[[nodiscard]] inline double ideal_intensity(const extents& all, const element_bytes& each) {
    return operations(all) / bytes_of(all, each, 2);
}

// Elements of A and B, each loaded once for every tile of C that needs it.
[[nodiscard]] inline double elements_for_tiles(const extents& t, const extents& all) {
    return all.m * all.k * std::ceil(all.n / t.n) + all.k * all.n * std::ceil(all.m / t.m);
}

[[nodiscard]] inline double intensity(const loops& s, const extents& all,
                                      const element_bytes& each) {
    const double products = all.m * all.n * all.k;
    const double untiled = s.dot_products ? 2 * products : all.m * all.k + products;
    const double moved = s.tiled ? elements_for_tiles(tile_of(s, all), all) : untiled;
    return operations(all) / (moved * each.ab + 2 * all.m * all.n * each.c);
}

[[nodiscard]] inline plateau step(double from_lines, double to_lines, double a, double b, double c,
                                  std::string_view holds) {
    return {.from_lines = from_lines,
            .to_lines = to_lines,
            .misses = {.a = a, .b = b, .c = c},
            .holds = holds};
}

// A tile is computed by dot products of its rows and columns, or by adding rows of B to rows of C.
[[nodiscard]] inline std::vector<plateau> inside_tiles(const loops& s, const extents& all,
                                                       const line_length& line) {
    const extents t = tile_of(s, all);
    const double products = all.m * all.n * all.k;
    const double a = all.m * all.k / line.ab * std::ceil(all.n / t.n);
    const double c = all.m * all.n / line.c * std::ceil(all.k / t.k);
    const double tile_b = t.k * t.n / line.ab;
    const double row_a = t.k / line.ab;
    const double row_b = t.n / line.ab;
    const double row_c = t.n / line.c;
    std::vector<plateau> steps;
    if (s.dot_products) {
        steps.push_back(
            step(2, t.k + row_a - line.ab + 2, a * t.n, products, c * line.c, "single lines"));
        steps.push_back(step(t.k + row_a + 1, tile_b + row_a + row_c, a, products / line.ab, c,
                             "a row of A, a column of B"));
    } else {
        steps.push_back(step(2, row_b + row_c + 1, a * line.ab, products / line.ab,
                             products / line.c, "single lines"));
        steps.push_back(step(row_b + row_c + 1, tile_b + row_b + row_a, a, products / line.ab, c,
                             "a row of B, a row of C"));
    }
    return steps;
}

// What is kept from one tile product to the next. A row of tiles counts as full, because a partial
// one is passed as often.
[[nodiscard]] inline std::vector<plateau> between_tiles(const loops& s, const extents& all,
                                                        const line_length& line) {
    const extents t = tile_of(s, all);
    const double a = all.m * all.k / line.ab;
    const double b = all.k * all.n / line.ab;
    const double c = all.m * all.n / line.c;
    const double a_per_tile = a * std::ceil(all.n / t.n);
    const double b_per_tile = b * std::ceil(all.m / t.m);
    const double c_per_tile = c * std::ceil(all.k / t.k);
    const double tile_a = t.m * t.k / line.ab;
    const double tile_b = t.k * t.n / line.ab;
    const double tile_c = t.m * t.n / line.c;
    const double row_a = t.k / line.ab;
    const double row_b = t.n / line.ab;
    const double row_c = t.n / line.c;
    const double tiles = tile_a + tile_b + tile_c;
    // The fewest lines between two uses of a line: of A in neighbouring columns of tiles, of B in
    // neighbouring rows of them, of C in the next product.
    const double until_a = t.m * all.k / line.ab + all.k * t.n / line.ab + 1;
    const double until_b = b + t.m * all.k / line.ab - tile_a + 1;
    const double until_c = s.dot_products ? tiles : tiles - row_a + 1;
    const double beyond = std::min(until_a, until_b);
    const double kept_b = tile_b + 2 * row_a + (s.dot_products ? row_c : row_b + row_c + 1);
    std::vector<plateau> steps;
    steps.push_back(
        step(kept_b, std::min(until_c, beyond), a_per_tile, b_per_tile, c_per_tile, "a tile of B"));
    steps.push_back(step(tiles + tile_b + row_a, beyond, a_per_tile, b_per_tile, c, "three tiles"));
    steps.push_back(step(all.k * (t.m + t.n) / line.ab + tile_b + 2 * tile_c, until_b, a,
                         b_per_tile, c, "a row of tiles of A"));
    return steps;
}

// The cache holds everything that is used again. Without tiles it must hold B, while rows of A and
// C pass by: a row of A, the next one and a row of C, or two rows of C and a row of A.
[[nodiscard]] inline plateau everything(const loops& s, const extents& all,
                                        const line_length& line) {
    const double a = all.m * all.k / line.ab;
    const double b = all.k * all.n / line.ab;
    const double c = all.m * all.n / line.c;
    const double row_a = all.k / line.ab;
    const double row_c = all.n / line.c;
    const double with_b = b + (s.dot_products ? 2 * row_a + row_c : 2 * row_c + row_a + 1);
    return step(s.tiled ? a + b + c : std::min(with_b, a + b + c), HUGE_VAL, a, b, c,
                s.tiled ? "everything" : "all of B");
}

[[nodiscard]] inline std::vector<plateau> plateaus(const loops& s, const extents& all,
                                                   const line_length& line) {
    std::vector<plateau> steps;
    for (const plateau& one : inside_tiles(s, all, line)) steps.push_back(one);
    if (s.tiled)
        for (const plateau& one : between_tiles(s, all, line)) steps.push_back(one);
    steps.push_back(everything(s, all, line));
    return steps;
}

[[nodiscard]] inline double total(const line_counts& lines) {
    return lines.a + lines.b + lines.c;
}

[[nodiscard]] inline plateau misses_at(const loops& s, const extents& all, const line_length& line,
                                       double lines) {
    const std::vector<plateau> steps = plateaus(s, all, line);
    plateau best = steps[0];
    for (const plateau& one : steps)
        if (one.from_lines <= lines && total(one.misses) < total(best.misses)) best = one;
    return best;
}

[[nodiscard]] inline access_counts accesses(const loops& s, const extents& all) {
    const extents t = tile_of(s, all);
    const double products = all.m * all.n * all.k;
    const double sums = all.m * all.n * std::ceil(all.k / t.k);
    if (s.dot_products) return {.a = products, .b = products, .c_loads = sums, .c_stores = sums};
    return {.a = all.m * all.k * std::ceil(all.n / t.n),
            .b = products,
            .c_loads = products,
            .c_stores = products};
}

// Seconds for an amount at a rate of 1e9 a second; 0 for what was not measured.
[[nodiscard]] inline double seconds(double amount, double giga_per_s) {
    return giga_per_s > 0 ? amount / (giga_per_s * 1e9) : 0;
}

// The smallest level that holds the working set, or the last.
[[nodiscard]] inline level level_holding(const std::vector<level>& levels, double bytes) {
    for (const level& one : levels)
        if (bytes <= one.capacity_bytes) return one;
    return levels[levels.size() - 1];
}

// The slowest of computing and all transfers.
[[nodiscard]] inline prediction slowest_of(const std::vector<flow>& flows, double flop,
                                           double peak_gflops) {
    const double compute_s = seconds(flop, peak_gflops);
    double time_s = compute_s;
    std::string bound = compute_s > 0 ? "compute" : "";
    for (const flow& f : flows) {
        if (f.time_s <= time_s) continue;
        time_s = f.time_s;
        bound = f.from;
    }
    return {.flows = flows,
            .compute_s = compute_s,
            .time_s = time_s,
            .gflops = time_s > 0 ? flop / time_s / 1e9 : 0,
            .bound = bound};
}

[[nodiscard]] inline flow flow_from(const level& from, double bytes, std::string_view kept) {
    return {
        .from = from.name, .bytes = bytes, .time_s = seconds(bytes, from.gb_per_s), .kept = kept};
}

[[nodiscard]] inline prediction predict(const loops& s, const extents& all,
                                        const element_bytes& each, const std::vector<level>& levels,
                                        double peak_gflops) {
    const access_counts core = accesses(s, all);
    const double core_bytes = (core.a + core.b) * each.ab + (core.c_loads + core.c_stores) * each.c;
    std::vector<flow> flows;
    flows.push_back(flow_from(levels[0], core_bytes,
                              s.dot_products ? "a sum in a register" : "an element of A"));
    for (std::size_t i = 1; i < levels.size(); ++i) {
        const level& before = levels[i - 1];
        const double line = before.line_bytes;
        const plateau kept = misses_at(s, all, {.ab = line / each.ab, .c = line / each.c},
                                       std::floor(before.capacity_bytes / line));
        const double lines = kept.misses.a + kept.misses.b + 2 * kept.misses.c;
        flows.push_back(flow_from(levels[i], lines * line, kept.holds));
    }
    return slowest_of(flows, operations(all), peak_gflops);
}

// The traffic of a GPU's tiles: every tile from L2, and all operands once from memory beyond it.
[[nodiscard]] inline prediction predict_gpu(double tile, const extents& all,
                                            const element_bytes& each,
                                            const std::vector<level>& levels, double peak_gflops) {
    const extents t = tile_of({.tiled = true, .dot_products = true, .tile = tile}, all);
    const double by_tiles = elements_for_tiles(t, all) * each.ab + all.m * all.n * each.c;
    const double once = bytes_of(all, each, 1);
    const bool in_l2 = once <= levels[0].capacity_bytes;
    std::vector<flow> flows;
    flows.push_back(flow_from(levels[0], by_tiles, "two tiles"));
    flows.push_back(flow_from(levels[1], in_l2 ? 0 : once,
                              in_l2 ? "all of A, B and C" : "what is wanted again"));
    return slowest_of(flows, operations(all), peak_gflops);
}

[[nodiscard]] inline double round_up(double value, double unit) {
    return std::ceil(value / unit) * unit;
}

// Registers are allocated to warps of 32 threads in units of 256, and evenly to the four quarters
// of an SM.
[[nodiscard]] inline double blocks_by_registers(const block_needs& block,
                                                const multiprocessor& on) {
    const double of_a_warp = round_up(std::max(1.0, block.registers) * 32, 256);
    const double warps = std::floor(std::floor(on.registers / of_a_warp) / 4) * 4;
    return std::floor(warps / (round_up(std::max(1.0, block.threads), 32) / 32));
}

[[nodiscard]] inline residency residency_of(const block_needs& block, const multiprocessor& on) {
    const double threads = round_up(std::max(1.0, block.threads), 32);
    const double by_registers = blocks_by_registers(block, on);
    const double by_shared =
        block.shared_bytes > on.shared_bytes_per_block
            ? 0
            : std::floor(on.shared_bytes / (block.shared_bytes + on.reserved_bytes));
    double blocks = std::floor(on.threads / threads);
    std::string_view limit = "threads";
    if (on.blocks < blocks) {
        blocks = on.blocks;
        limit = "blocks";
    }
    if (by_registers < blocks) {
        blocks = by_registers;
        limit = "registers";
    }
    if (by_shared < blocks) {
        blocks = by_shared;
        limit = "shared memory";
    }
    return {.blocks = blocks, .occupancy = blocks * threads / on.threads, .limit = limit};
}

// One CTA of the ladder's tiled GPU kernels: one sum a thread up to an edge of 32, then many.
[[nodiscard]] inline gpu_tile gpu_tile_of(double tile, double element_bytes) {
    if (tile <= 32) {
        const double bytes = 2 * tile * tile * element_bytes;
        return {.needs = {.threads = tile * tile, .registers = 32, .shared_bytes = bytes},
                .working_set_bytes = bytes,
                .reuse = tile,
                .shared_reads = 2};
    }
    const double each = std::floor(tile / 16);
    const double words = std::max(1.0, std::floor(element_bytes / 4));
    const double bytes = 16 * (2 * tile + 1) * element_bytes;
    const double registers = std::min(255.0, (each * each + 2 * each) * words + 32);
    return {.needs = {.threads = 256, .registers = registers, .shared_bytes = bytes},
            .working_set_bytes = bytes,
            .reuse = tile,
            .shared_reads = 2 / each};
}

}  // namespace carat::model::formulas
