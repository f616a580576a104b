#include "plan/batch_tiles.hpp"

#include <algorithm>

#include "plan/cpu_plan.hpp"
#include "plan/launch.hpp"

namespace carat::plan {

namespace {

// What multiplies an operand's bytes, by how many elements are copied at once.
double copy_factor(int together, int element_bytes, const mma_costs& costs) {
    const int bytes = together * element_bytes;
    if (together == 1 && element_bytes < 8) return costs.single_factor;
    double factor = 1;
    for (int copied = bytes; copied < 16; copied *= 2) factor *= costs.eight_bytes_factor;
    return factor;
}

std::int64_t tiles_of(const batch_tile& tile, const batch_request& of) {
    return ceil_div(of.m, tile.block_m) * ceil_div(of.n, tile.block_n);
}

}  // namespace

bool may_share_k(const batch_request& of, const batch_tile& tile, int splits, int element_bytes) {
    constexpr std::int64_t least_bytes = 256;
    constexpr std::int64_t most_waves = 3;
    if (splits == 1) return true;
    return of.may_share_k && of.k * element_bytes >= least_bytes * splits &&
           of.batch * tiles_of(tile, of) * splits <= most_waves * of.sms * tile.ctas_per_sm;
}

double adding_up_s(const batch_request& of, int splits, int sum_bytes, const large_costs& costs) {
    if (splits == 1) return 0;
    const double bytes = 2.0 * splits * sum_bytes + of.result_bytes * (of.adds_e ? 2 : 1);
    return costs.groups_s +
           static_cast<double>(of.m * of.n * of.batch) * bytes / costs.gathered_bytes_per_s;
}

double memory_bytes(const batch_request& of, int element_bytes) {
    const auto operands = static_cast<double>(
        of.k * (of.m * (of.one_a ? 1 : of.batch) + of.n * (of.one_b ? 1 : of.batch)));
    return element_bytes * operands +
           static_cast<double>(of.m * of.n * of.batch) * of.result_bytes * (of.adds_e ? 2 : 1);
}

launch_work work_of(const batch_tile& tile, int splits, const batch_request& of,
                    const batch_model& model, const mma_costs& costs) {
    const int bytes = model.element_bytes;
    const double area = static_cast<double>(tile.block_m) * tile.block_n;
    const double copied = static_cast<double>(model.block_k * bytes) *
                          (tile.block_m * copy_factor(of.together_a, bytes, costs) +
                           tile.block_n * copy_factor(of.together_b, bytes, costs));
    const double sides = 1.0 / tile.block_m + 1.0 / tile.block_n;
    const std::int64_t rows = std::min<std::int64_t>(of.m, tile.block_m);
    const std::int64_t columns = std::min<std::int64_t>(of.n, tile.block_n);
    const double stored =
        stored_bytes(of.c_by_rows ? rows : columns, of.c_by_rows ? columns : rows, of.result_bytes);
    launch_work work;
    work.ctas = static_cast<double>(of.batch * tiles_of(tile, of) * splits);
    work.places = of.sms;
    work.on_sm = tile.ctas_per_sm;
    work.steps = static_cast<double>(ceil_div(ceil_div(of.k, model.block_k), splits));
    work.step_math_s =
        2 * area * model.block_k / costs.flop_per_s * (1 + costs.small_tile * sides) +
        copied / costs.copied_bytes_per_s;
    work.step_floor_s = costs.step_s;
    work.step_bytes = static_cast<double>(model.block_k * bytes * (tile.block_m + tile.block_n));
    work.fill_s = costs.fill_s;
    work.tile_s = stored / costs.stored_bytes_per_s *
                  (of.vectorized_c ? 1 : costs.stored_odd_factor) *
                  (of.adds_e ? costs.added_factor : 1);
    work.memory_bytes = memory_bytes(of, bytes);
    work.launch_s = costs.launch_s;
    work.once_s = adding_up_s(of, splits, bytes == 8 ? 8 : 4, model.sharing_k);
    return work;
}

double seconds_of(const batch_tile& tile, int splits, const batch_request& of,
                  const batch_model& model, const mma_costs& costs) {
    return time_of(work_of(tile, splits, of, model, costs), costs.sharing).seconds;
}

batch_tile_plan plan_batch_tiles(const batch_request& of, const batch_model& model) {
    batch_tile_plan best;
    for (std::size_t row = 0; row < model.tiles.size(); ++row)
        for (const int splits : counts_of_parts) {
            if (!may_share_k(of, model.tiles[row], splits, model.element_bytes)) continue;
            const double seconds = seconds_of(model.tiles[row], splits, of, model, model.costs);
            if ((row == 0 && splits == 1) || seconds < best.seconds) best = {row, splits, seconds};
        }
    return best;
}

}  // namespace carat::plan
