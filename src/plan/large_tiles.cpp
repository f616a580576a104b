#include "plan/large_tiles.hpp"

#include <algorithm>

#include "core/dtype_traits.hpp"
#include "plan/cpu_plan.hpp"

namespace carat::plan {

namespace {

double flop_per_s_of(dtype type, core::gpu_arithmetic how, const large_costs& costs) {
    if (is_half(type)) return costs.half_flop_per_s;
    if (type == dtype::f64) return costs.f64_flop_per_s;
    if (type == dtype::i8) return costs.i8_flop_per_s;
    if (is_fp8(type)) return costs.fp8_flop_per_s;
    if (how == core::gpu_arithmetic::tf32) return costs.tf32_flop_per_s;
    return how == core::gpu_arithmetic::three_tf32 ? costs.three_tf32_flop_per_s
                                                   : costs.f32_flop_per_s;
}

}  // namespace

large_model large_model_of(dtype type, core::gpu_arithmetic how, const gpu_costs& all) {
    const auto bytes = static_cast<int>(size_bytes(type));
    const bool is_ffma = type == dtype::f32 && how == core::gpu_arithmetic::native;
    return {.costs = all.mma_large,
            .flop_per_s = flop_per_s_of(type, how, all.mma_large),
            .element_bytes = bytes,
            .sum_bytes = type == dtype::f64 ? 8 : 4,
            .block_k = type == dtype::f64 ? 16 : (is_ffma ? 32 : 64) / bytes};
}

launch_work work_of(const batch_tile& tile, int splits, const batch_request& of,
                    const large_model& model) {
    const large_costs& costs = model.costs;
    const double area = static_cast<double>(tile.block_m) * tile.block_n;
    const double sides = 1.0 / tile.block_m + 1.0 / tile.block_n;
    const std::int64_t rows = std::min<std::int64_t>(of.m, tile.block_m);
    const std::int64_t columns = std::min<std::int64_t>(of.n, tile.block_n);
    const double stored =
        stored_bytes(of.c_by_rows ? rows : columns, of.c_by_rows ? columns : rows, of.result_bytes);
    launch_work work;
    work.ctas = static_cast<double>(of.batch * ceil_div(of.m, tile.block_m) *
                                    ceil_div(of.n, tile.block_n) * splits);
    work.places = of.sms;
    work.on_sm = tile.ctas_per_sm;
    work.steps = static_cast<double>(ceil_div(ceil_div(of.k, model.block_k), splits));
    work.step_math_s = 2 * area * model.block_k / model.flop_per_s * (1 + costs.small_tile * sides);
    work.step_floor_s = costs.step_s;
    work.step_bytes =
        static_cast<double>(model.block_k * model.element_bytes) * (tile.block_m + tile.block_n);
    work.fill_s = costs.fill_s;
    work.tile_s = stored / costs.stored_bytes_per_s *
                  (of.vectorized_c ? 1 : costs.stored_odd_factor) *
                  (of.adds_e ? costs.added_factor : 1);
    work.memory_bytes = memory_bytes(of, model.element_bytes);
    work.launch_s = costs.launch_s;
    work.once_s = adding_up_s(of, splits, model.sum_bytes, costs);
    return work;
}

double seconds_of(const batch_tile& tile, int splits, const batch_request& of,
                  const large_model& model) {
    return time_of(work_of(tile, splits, of, model), model.costs.sharing).seconds;
}

}  // namespace carat::plan
