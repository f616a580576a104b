#include "plan/batch_tiles.hpp"

#include <algorithm>

#include "plan/cpu_plan.hpp"

namespace carat::plan {

namespace {

constexpr std::int64_t block_k = 32;

constexpr double around_s = 3e-6;        // a kernel's beginning and end, of many on a stream
constexpr double bytes_per_s = 2.6e12;   // of memory, small pieces
constexpr double cta_s = 1.5e-6;         // its beginning, first loads and C
constexpr double latency_s = 0.25e-6;    // of a step of block_k that waits for nobody else
constexpr double through_registers = 0.8e-6;  // the same of elements that come by twos
constexpr double flop_per_s = 3e12;      // of a multiprocessor
constexpr double copies_per_s = 4e10;    // loads and stores of a thread, of one

double bytes_of(const batch_request& of) {
    const auto a = static_cast<double>(of.m * of.k * (of.one_a ? 1 : of.batch));
    const auto b = static_cast<double>(of.k * of.n * (of.one_b ? 1 : of.batch));
    return 2 * (a + b) + static_cast<double>(of.m * of.n * of.batch) * of.result_bytes;
}

// Two that come through registers are two loads and a store.
double copies(int lines, int together) {
    return static_cast<double>(lines * block_k) * (together == 1 ? 1.5 : 1.0 / together);
}

}  // namespace

double seconds_of(const batch_tile& tile, const batch_request& of) {
    const std::int64_t ctas = of.batch * ceil_div(of.m, tile.block_m) * ceil_div(of.n, tile.block_n);
    const auto steps = static_cast<double>(ceil_div(of.k, block_k));
    const std::int64_t on_sm =
        std::min<std::int64_t>(ceil_div(ctas, of.sms), tile.ctas_per_sm);
    const auto together = static_cast<double>(on_sm);
    const double flop = 2.0 * tile.block_m * tile.block_n * block_k;
    const double loading =
        (copies(tile.block_m, of.together_a) + copies(tile.block_n, of.together_b)) /
        copies_per_s;
    const bool pairs = of.together_a == 1 || of.together_b == 1;
    const double step_s = std::max({together * flop / flop_per_s, together * loading,
                                    pairs ? through_registers : latency_s});
    const double waves =
        std::max(1.0, static_cast<double>(ctas) / static_cast<double>(of.sms * on_sm));
    const double multiplying = waves * (cta_s + steps * step_s);
    return around_s + std::max(multiplying, bytes_of(of) / bytes_per_s);
}

batch_tile_plan plan_batch_tiles(const batch_request& of, std::span<const batch_tile> tiles) {
    batch_tile_plan best;
    for (std::size_t row = 0; row < tiles.size(); ++row) {
        const double seconds = seconds_of(tiles[row], of);
        if (row == 0 || seconds < best.seconds) best = {row, seconds};
    }
    return best;
}

}  // namespace carat::plan
