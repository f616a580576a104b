#include "plan/gemm_cost.hpp"

#include <algorithm>

#include "plan/cpu_plan.hpp"

namespace carat::plan {

namespace {

using core::accumulation;
using core::kernel_desc;

// Big and small parts of 3xTF32 are two operands of a stage, for three products.
int splits_of(accumulation sums) {
    return sums == accumulation::three_tf32 ? 2 : 1;
}
double products_of(accumulation sums) {
    return sums == accumulation::three_tf32 ? 3 : 1;
}

bool packs(const gemm_request& of) {
    return of.packing.lines + of.packing.columns > 0;
}

template <class Costs>
double math_s(const candidate& c, const Costs& costs) {
    const kernel_desc& k = *c.kernel;
    double factor = 1;
    if constexpr (requires { costs.pingpong_factor; })
        if (c.is_pingpong()) factor = costs.pingpong_factor;
    const bool promotes =
        k.accumulate == accumulation::promoted || k.accumulate == accumulation::blockwise;
    if (promotes)  // a third warpgroup hides more of it
        factor *= 1 + (costs.promoted_factor - 1) * 128 / k.block_m;
    return factor * costs.column_s * k.block_m / 128 * k.block_n;
}

// The bytes of a step that has so many lines of A and of B.
template <class Costs>
double operand_bytes(const candidate& c, const gemm_request& of, const Costs& costs, double rows,
                     double columns) {
    const auto sectors = [&](bool of_a) {
        const bool on_sectors = of_a != c.swap_ab ? of.a_on_sectors : of.b_on_sectors;
        return on_sectors ? 1.0 : costs.off_sectors_factor;
    };
    const accumulation sums = c.kernel->accumulate;
    return line_bytes * splits_of(sums) / products_of(sums) *
           (rows * sectors(true) + columns * sectors(false));
}

// E of a tile. Persistent kernels load it through their pipeline where lines of C are whole ones,
// else each thread its own.
template <class Costs>
double added_s(const candidate& c, const gemm_request& of, const Costs& costs, double bytes) {
    const kernel_desc& k = *c.kernel;
    const bool by_rows = c.swap_ab != of.c_by_rows;
    const bool are_whole = k.block_n * of.result_bytes % line_bytes == 0;
    double rate = costs.added_bytes_per_s;
    if constexpr (requires { costs.threads_bytes_per_s; })
        if (!of.c_on_16_bytes || (by_rows && !are_whole)) rate = costs.threads_bytes_per_s;
    return costs.added_s + bytes / rate;
}

template <class Costs>
double stored_factor(const gemm_request& of, const Costs& costs, bool by_rows) {
    double factor = of.result_bytes == 2 ? costs.halves_factor : 1;
    if (of.c_on_16_bytes) return factor;
    if constexpr (requires { costs.across_odd_factor; })
        if (!by_rows) return factor * costs.across_odd_factor;
    return factor * costs.stored_odd_factor;
}

// What follows the last k-block: sums to the CTAs that split K, E, and C.
template <class Costs>
double tile_s(const candidate& c, const gemm_request& of, const Costs& costs, bool glu) {
    const kernel_desc& k = *c.kernel;
    const std::int64_t rows = std::min<std::int64_t>(c.m, k.block_m);
    const std::int64_t columns = std::min<std::int64_t>(c.n, k.block_n) / (glu ? 2 : 1);
    const bool by_rows = c.swap_ab != of.c_by_rows;
    const double stored =
        stored_bytes(by_rows ? rows : columns, by_rows ? columns : rows, of.result_bytes) /
        c.split_k;
    double all = stored / costs.stored_bytes_per_s * stored_factor(of, costs, by_rows) +
                 (of.adds_e ? added_s(c, of, costs, stored) : 0);
    if constexpr (requires { costs.sent_bytes_per_s; })
        all += static_cast<double>(k.block_m) * k.block_n * 4 * (c.split_k - 1) / c.split_k /
               costs.sent_bytes_per_s;
    return all;
}

// A k-block's least: operands come as late as a copy takes, for each stage of the pipeline.
template <class Costs>
double floor_s(const candidate& c, const gemm_request& of, const Costs& costs, double missing) {
    const int on_sm = c.kernel->is_persistent() ? 1 : c.ctas_per_sm;
    const int stages = std::max(1, stages_that_fit(*c.kernel, c.split_k, on_sm));
    const double latency = packs(of) ? costs.latency_s * costs.packed_factor
                                     : costs.latency_s + missing * costs.missing_s;
    return std::max(latency / stages, costs.least_step_s) / products_of(c.kernel->accumulate);
}

// Sums pass from one cluster to the next; of fewer tiles than clusters some more than once.
void share_tiles(launch_work& work, const candidate& c, const persistent_costs& costs) {
    const std::int64_t tiles = c.ctas() / c.shared();
    const auto at_once = static_cast<std::int64_t>(work.places) / c.shared();
    const std::int64_t sharing = clusters_that_share(*c.kernel, tiles, c.k_blocks, at_once);
    work.places = static_cast<double>(sharing * c.shared());
    work.once_s = costs.stream_k_s * static_cast<double>(ceil_div(sharing, tiles));
}

double memory_bytes(const gemm_request& of, bool glu) {
    const auto operands = static_cast<double>(
        of.bytes_of(of.k * (of.m * (of.one_a ? 1 : of.batch) + of.n * (of.one_b ? 1 : of.batch))));
    const double result =
        static_cast<double>(of.batch * of.m * of.n) * of.result_bytes / (glu ? 2 : 1);
    return operands * splits_of(of.accumulate) / products_of(of.accumulate) +
           result * (of.adds_e ? 2 : 1);
}

// What packing wrote and left in L2.
double left_bytes(const gemm_request& of, const packing_costs& packing) {
    const double copies = splits_of(of.accumulate);
    const double written = (of.packing.lines + of.packing.columns) * copies / (1 + copies);
    return written * (1 - missing_share(written, packing.l2_bytes));
}

template <class Costs>
launch_work work_by(const Costs& costs, const sharing_costs& sharing, const packing_costs& packing,
                    const candidate& c, const gemm_request& of, bool glu) {
    const kernel_desc& k = *c.kernel;
    launch_work work;
    work.ctas = static_cast<double>(c.ctas());
    work.places = static_cast<double>(ctas_at_a_time(c.split_k * c.shared(), of.sms));
    work.on_sm = k.is_persistent() ? 1 : c.ctas_per_sm;
    work.is_persistent = k.is_persistent();
    work.shares_last_wave = k.stream_k;
    work.steps = static_cast<double>(ceil_div(c.k_blocks, c.split_k));
    work.step_math_s = math_s(c, costs);
    const double columns = columns_loaded(c);
    work.step_bytes =
        operand_bytes(c, of, costs, static_cast<double>(k.block_m) / c.cluster_n, columns);
    work.step_arrival_s =
        operand_bytes(c, of, costs, k.block_m, columns * c.cluster_m) / costs.arriving_bytes_per_s;
    work.memory_bytes = memory_bytes(of, glu);
    work.left_bytes = std::min(left_bytes(of, packing), work.memory_bytes);
    const double missing = missing_share(work.memory_bytes - work.left_bytes, sharing.l2_bytes);
    work.step_floor_s = floor_s(c, of, costs, missing);
    work.fill_s = costs.fill_s + costs.sharing_s * (c.shared() - 1) +
                  (packs(of) ? 0 : missing * costs.missing_s);
    work.tile_s = tile_s(c, of, costs, glu);
    work.launch_s = costs.launch_s;
    return work;
}

}  // namespace

std::int64_t ctas_at_a_time(int cluster, int sms) {
    // A GPU's groups of SMs hold whole clusters: of 132 SMs those of four or eight reach 120, and
    // 124 CTAs took a second wave. A part of a GPU (MIG) may have no more than 16 SMs.
    return cluster <= 2 ? sms : std::max(1, (sms - 12) / cluster) * std::int64_t{cluster};
}

double columns_loaded(const candidate& c) {
    const kernel_desc& k = *c.kernel;
    const int in_line = k.block_k();
    const std::int64_t columns =
        k.b_major == core::operand_major::k ? k.block_n : ceil_div(k.block_n, in_line) * in_line;
    return static_cast<double>(columns) / c.cluster_m;
}

int most_ctas_per_sm(const kernel_desc& k) {
    const bool native = k.accumulate == accumulation::native;
    if (k.is_persistent() || (k.block_n >= 96 && (!native || k.a_from_registers()))) return 1;
    return k.block_m == 64 && k.block_n <= 64 ? 3 : 2;
}

int stages_that_fit(const kernel_desc& k, int split_k, int ctas_per_sm) {
    constexpr int barriers = 1024;
    constexpr int most_stages = 16;
    const int columns = k.b_major == core::operand_major::mn
                            ? static_cast<int>(ceil_div(k.block_n, k.block_k())) * k.block_k()
                            : k.block_n;
    const int stage = splits_of(k.accumulate) * (k.block_m + columns) * line_bytes;
    const int sums = std::max(k.block_m * (k.block_n + 8), k.block_n * (k.block_m + 4)) * 4;
    const bool pingpong = k.schedule == core::kernel_schedule::pingpong;
    const int epilogue = k.is_persistent() ? (pingpong ? 2 : k.block_m / 64) * 2 * 64 * 128
                                           : sums / split_k * (split_k - 1);
    const int available = (228 / std::min(ctas_per_sm, most_ctas_per_sm(k)) - 1) * 1024;
    return std::clamp((available - barriers - epilogue) / stage, 0, most_stages);
}

std::int64_t clusters_that_share(const kernel_desc& k, std::int64_t tiles, std::int64_t k_blocks,
                                 std::int64_t at_once) {
    constexpr std::int64_t most_of_a_tile = 4;
    constexpr std::int64_t fewest_blocks = 6;
    if (tiles >= at_once) return at_once;
    if (k.schedule != core::kernel_schedule::cooperative || k.accumulate != accumulation::native)
        return tiles;
    return std::max(tiles,
                    std::min({at_once, tiles * most_of_a_tile, tiles * k_blocks / fewest_blocks}));
}

launch_work work_of(const candidate& c, const gemm_request& of, const gpu_costs& costs, bool glu) {
    const sharing_costs sharing = sharing_of(*c.kernel, costs);
    if (!c.kernel->is_persistent()) return work_by(costs.wgmma, sharing, costs.packing, c, of, glu);
    launch_work work = work_by(costs.persistent, sharing, costs.packing, c, of, glu);
    if (c.kernel->stream_k) share_tiles(work, c, costs.persistent);
    return work;
}

sharing_costs sharing_of(const kernel_desc& k, const gpu_costs& costs) {
    return k.is_persistent() ? sharing_nothing(costs.persistent.feeding) : costs.wgmma.sharing;
}

}  // namespace carat::plan
