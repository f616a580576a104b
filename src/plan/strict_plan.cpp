#include "plan/strict_plan.hpp"

#include <algorithm>
#include <optional>
#include <span>

#include "plan/cpu_plan.hpp"
#include "plan/gemm_plan.hpp"

namespace carat::plan {

namespace {

struct tile {
    int m, n, k;
    int residents;   // blocks on a multiprocessor
    int most_parts;  // of K
    double share;    // of the peak that a multiprocessor full of such tiles reaches
};

constexpr tile f32_tiles[] = {{64, 32, 8, 4, 1, 0.50},
                              {128, 64, 8, 2, 4, 0.72},
                              {128, 128, 8, 2, 8, 0.82},
                              {256, 128, 8, 1, 8, 0.82}};
constexpr tile f64_tiles[] = {{64, 64, 16, 2, 8, 0.80},
                              {128, 64, 16, 1, 8, 0.90},
                              {96, 128, 16, 1, 8, 0.94},
                              {128, 128, 16, 1, 8, 0.95}};

// Both units do 128 multiply-adds a clock and multiprocessor.
constexpr double products_per_s = 128 * 1.98e9;
constexpr double memory_bytes_per_s = 4.1e12;
constexpr double around_s = 4e-6;    // a kernel's beginning and end, of many on a stream
constexpr double meeting_s = 5e-6;   // of the blocks that share K, and their beginning and end
constexpr double sending_s = 1e-11;  // of a byte of a tile, from block to block
// A block alone where two could be leaves its multiprocessor waiting now and then.
constexpr double alone = 0.85;

struct way {
    tile of;
    int parts;
};

double seconds(const way& w, const strict_request& p) {
    const std::int64_t blocks = ceil_div(p.m, w.of.m) * ceil_div(p.n, w.of.n) * w.parts;
    const std::int64_t places = ctas_at_a_time(w.parts, p.multiprocessors);
    const bool each_alone = blocks <= places;
    const std::int64_t rounds = each_alone ? 1 : ceil_div(blocks, places * w.of.residents);
    const int together = each_alone ? 1 : w.of.residents;
    const auto depth = static_cast<double>(ceil_div(ceil_div(p.k, w.of.k), w.parts) * w.of.k);
    const double rate =
        products_per_s * w.of.share * (together < w.of.residents ? alone : 1) / together;
    const double multiplying = static_cast<double>(rounds) * w.of.m * w.of.n * depth / rate;
    const auto bytes = static_cast<double>(p.m * p.k + p.k * p.n + p.m * p.n) * p.element_bytes;
    const double tile_bytes = static_cast<double>(w.of.m) * w.of.n * p.element_bytes;
    return around_s + std::max(multiplying, bytes / memory_bytes_per_s) +
           (w.parts > 1 ? static_cast<double>(rounds) * (meeting_s + sending_s * tile_bytes) : 0);
}

std::span<const tile> tiles_of(const strict_request& p) {
    return p.element_bytes == 8 ? std::span<const tile>(f64_tiles)
                                : std::span<const tile>(f32_tiles);
}

// The first tile that is as large as asked for; of f64 128 columns alone ask for 96 rows of them.
std::span<const tile> tiles_to_try(const strict_request& p) {
    const std::span<const tile> all = tiles_of(p);
    if (p.tile_m == 0 && p.tile_n == 0) return all;
    const auto fits = [&](const tile& t) { return t.m >= p.tile_m && t.n >= p.tile_n; };
    const auto first = std::ranges::find_if(all, fits);
    const auto at =
        std::min<std::size_t>(static_cast<std::size_t>(first - all.begin()), all.size() - 1);
    return all.subspan(at, 1);
}

}  // namespace

strict_plan make_strict_plan(const strict_request& wanted) {
    std::optional<strict_plan> best;
    for (const tile& t : tiles_to_try(wanted)) {
        const std::int64_t steps = ceil_div(wanted.k, t.k);
        for (const int parts : {8, 4, 2, 1}) {
            if (parts > std::min<std::int64_t>(steps, t.most_parts)) continue;
            if (wanted.parts != 0 && parts > wanted.parts) continue;
            const double taken = seconds({t, parts}, wanted);
            if (!best || taken < best->seconds)
                best = {.tile_m = t.m, .tile_n = t.n, .parts = parts, .seconds = taken};
            if (wanted.parts != 0) break;
        }
    }
    return *best;
}

}  // namespace carat::plan
