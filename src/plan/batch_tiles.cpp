#include "plan/batch_tiles.hpp"

#include <algorithm>

#include "plan/cpu_plan.hpp"

namespace carat::plan {

namespace {

constexpr std::int64_t block_k = 32;

// Fitted to 100 random batches in each tile on an H100, half of them at odd sizes; seconds.
constexpr double launch_s = 2.3e-6;       // a kernel's beginning and end, of many on a stream
constexpr double cta_s = 1e-6;            // its beginning and first loads
constexpr double place_s = 4.8e-11;       // of a tile's accumulators, on their way to C
constexpr double step_s = 0.5e-6;         // of block_k that waits for nobody else
constexpr double pairs_step_s = 1e-6;     // the same of elements that come by twos
constexpr double flop_per_s = 2.4e12;     // of a multiprocessor
constexpr double copies_per_s = 1.85e10;  // loads and stores of a thread, likewise
constexpr double stored_per_s = 39e9;     // bytes of C, likewise
constexpr double stored_singly_per_s = 10e9;
constexpr double bytes_per_s = 1.93e12;  // of memory

// Two elements that come through registers are two loads and a store.
double copies(int lines, int together) {
    return static_cast<double>(lines * block_k) * (together == 1 ? 1.55 : 0.4 + 1.0 / together);
}

double bytes_of(const batch_request& of) {
    const auto a = static_cast<double>(of.m * of.k * (of.one_a ? 1 : of.batch));
    const auto b = static_cast<double>(of.k * of.n * (of.one_b ? 1 : of.batch));
    return 2 * (a + b) + static_cast<double>(of.m * of.n * of.batch) * of.result_bytes;
}

}  // namespace

double seconds_of(const batch_tile& tile, const batch_request& of) {
    const std::int64_t ctas =
        of.batch * ceil_div(of.m, tile.block_m) * ceil_div(of.n, tile.block_n);
    const std::int64_t on_sm = std::min<std::int64_t>(ceil_div(ctas, of.sms), tile.ctas_per_sm);
    const auto together = static_cast<double>(on_sm);
    const double flop = 2.0 * tile.block_m * tile.block_n * block_k;
    const double loading =
        (copies(tile.block_m, of.together_a) + copies(tile.block_n, of.together_b)) / copies_per_s;
    const bool pairs = of.together_a == 1 || of.together_b == 1;
    const double step =
        std::max(together * (flop / flop_per_s + loading), pairs ? pairs_step_s : step_s);
    const double stored =
        static_cast<double>(of.m * of.n * of.batch) * of.result_bytes / static_cast<double>(ctas);
    const double storing = stored / (of.vectorized_c ? stored_per_s : stored_singly_per_s);
    const double one = cta_s + place_s * tile.block_m * tile.block_n +
                       static_cast<double>(ceil_div(of.k, block_k)) * step + together * storing;
    const double waves =
        std::max(1.0, static_cast<double>(ctas) / static_cast<double>(of.sms * on_sm));
    return launch_s + std::max(waves * one, bytes_of(of) / bytes_per_s);
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
