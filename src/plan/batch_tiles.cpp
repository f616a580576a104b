#include "plan/batch_tiles.hpp"

#include <algorithm>

#include "plan/cpu_plan.hpp"

namespace carat::plan {

namespace {

// To the tile in shared memory, for each of its lines.
double copies(const batch_costs& costs, int lines, int together) {
    return static_cast<double>(lines * costs.block_k) *
           (together == 1 ? costs.single_copy : 0.4 + 1.0 / together);
}

double read_bytes(const batch_request& of, const batch_costs& costs) {
    const auto a = static_cast<double>(of.m * of.k * (of.one_a ? 1 : of.batch));
    const auto b = static_cast<double>(of.k * of.n * (of.one_b ? 1 : of.batch));
    return costs.element_bytes * (a + b);
}

}  // namespace

batch_parts parts_of(const batch_tile& tile, const batch_request& of, const batch_costs& costs) {
    const std::int64_t ctas =
        of.batch * ceil_div(of.m, tile.block_m) * ceil_div(of.n, tile.block_n);
    const std::int64_t on_sm = std::min<std::int64_t>(ceil_div(ctas, of.sms), tile.ctas_per_sm);
    const auto together = static_cast<double>(on_sm);
    const double flop = 2.0 * tile.block_m * tile.block_n * costs.block_k;
    const double loading =
        (copies(costs, tile.block_m, of.together_a) + copies(costs, tile.block_n, of.together_b)) /
        costs.copies_per_s;
    const bool singly = of.together_a == 1 || of.together_b == 1;
    const double step = std::max(together * (flop / costs.flop_per_s + loading),
                                 singly ? costs.singly_step_s : costs.step_s);
    batch_parts found;
    found.ctas = ctas;
    found.at_once = of.sms * on_sm;
    found.stored_bytes = static_cast<double>(of.m * of.n * of.batch) * of.result_bytes;
    found.bytes = read_bytes(of, costs) + found.stored_bytes;
    const double stored = found.stored_bytes / static_cast<double>(ctas);
    const double storing =
        stored / (of.vectorized_c ? costs.stored_per_s : costs.stored_singly_per_s);
    const double one = costs.cta_s + costs.place_s * tile.block_m * tile.block_n +
                       static_cast<double>(ceil_div(of.k, costs.block_k)) * step +
                       together * storing;
    const double waves =
        std::max(1.0, static_cast<double>(ctas) / static_cast<double>(found.at_once));
    found.ctas_s = waves * one;
    found.memory_s = found.bytes / (costs.memory_share * of.memory_bytes_per_s);
    found.seconds = costs.launch_s + std::max(found.ctas_s, found.memory_s) +
                    costs.seen_share * std::min(found.ctas_s, found.memory_s);
    return found;
}

batch_tile_plan plan_batch_tiles(const batch_request& of, const batch_model& model) {
    batch_tile_plan best;
    for (std::size_t row = 0; row < model.tiles.size(); ++row) {
        const double seconds = seconds_of(model.tiles[row], of, model.costs);
        if (row == 0 || seconds < best.seconds) best = {row, seconds};
    }
    return best;
}

}  // namespace carat::plan
