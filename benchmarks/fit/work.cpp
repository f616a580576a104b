#include "benchmarks/fit/work.hpp"

#include <algorithm>

#include "core/dtype_traits.hpp"
#include "plan/cpu_plan.hpp"
#include "plan/gemm_cost.hpp"

namespace carat::fit {

namespace {

using core::accumulation;
using core::kernel_desc;
using plan::candidate;
using plan::ceil_div;
using plan::line_bytes;

double share_in(std::int64_t extent, int block) {
    return std::min(1.0, static_cast<double>(extent) / block);
}

double seconds_of(const packed_first& packing, const packing_costs& costs) {
    const double all = packing.lines + packing.columns;
    if (all == 0) return 0;
    return (packing.columns > 0 ? costs.transposing_launch_s : costs.launch_s) +
           packing.lines / costs.bytes_per_s + packing.columns / costs.transposed_bytes_per_s +
           std::max(0.0, all - costs.l2_bytes) / costs.memory_bytes_per_s;
}

// 3xTF32: the big and small parts are two operands of a stage, for three products.
int splits_of(accumulation sums) {
    return sums == accumulation::three_tf32 ? 2 : 1;
}
double products_of(accumulation sums) {
    return sums == accumulation::three_tf32 ? 3 : 1;
}

double math_s(const candidate& c, const wgmma_costs& costs) {
    const kernel_desc& k = *c.kernel;
    double factor = c.is_pingpong() ? costs.pingpong_factor : 1;
    if (k.accumulate == accumulation::three_tf32)
        factor *= costs.three_tf32_factor;
    else if (k.accumulate != accumulation::native)  // a third warpgroup hides more of it
        factor *= 1 + (costs.promoted_factor - 1) * 128 / k.block_m;
    return factor * costs.column_s * k.block_m / 128 * (k.block_n + costs.more_columns);
}

double loaded_bytes(const candidate& c, const plan::gemm_request& of, const wgmma_costs& costs) {
    const auto sectors = [&](bool of_a) {
        const bool on_sectors = of_a != c.swap_ab ? of.a_on_sectors : of.b_on_sectors;
        return on_sectors ? 1.0 : costs.off_sectors_factor;
    };
    const kernel_desc& k = *c.kernel;
    return line_bytes * splits_of(k.accumulate) / products_of(k.accumulate) *
           (static_cast<double>(k.block_m) / c.cluster_n * sectors(true) +
            plan::columns_loaded(c) * sectors(false));
}

// Persistent kernels load E through their pipeline where its lines are whole ones, else each thread
// loads its own.
double added_s(const candidate& c, const plan::gemm_request& of, const wgmma_costs& costs,
               double bytes) {
    const kernel_desc& k = *c.kernel;
    const bool by_threads = k.is_persistent() && (!of.c_on_16_bytes || c.swap_ab == of.c_by_rows ||
                                                  k.block_n * of.result_bytes % line_bytes != 0);
    return by_threads ? bytes / costs.added_bytes_per_s : costs.added_s;
}

// What follows the last k-block: sums go to the CTAs that split K, then E and C.
double tile_s(const candidate& c, const plan::gemm_request& of, const wgmma_costs& costs) {
    const kernel_desc& k = *c.kernel;
    const double elements = static_cast<double>(k.block_m) * k.block_n;
    const double stored = elements * of.result_bytes / c.split_k * share_in(c.m, k.block_m) *
                          share_in(c.n, k.block_n);
    const double sent = elements * 4 * (c.split_k - 1) / c.split_k;
    return stored / costs.stored_bytes_per_s * (of.c_on_16_bytes ? 1 : costs.stored_odd_factor) +
           sent / costs.sent_bytes_per_s + (of.adds_e ? added_s(c, of, costs, stored) : 0);
}

// Registers let an SM hold so many CTAs.
int most_ctas_per_sm(const kernel_desc& k) {
    const bool native = k.accumulate == accumulation::native;
    if (k.is_persistent() || (k.block_n >= 96 && (!native || k.a_from_registers()))) return 1;
    return k.block_m == 64 && k.block_n <= 64 ? 3 : 2;
}

// Elements of A and B.
template <class Request>
std::int64_t operands_of(const Request& of, bool one_a, bool one_b) {
    return of.k * (of.m * (one_a ? 1 : of.batch) + of.n * (one_b ? 1 : of.batch));
}

// How much longer an operand's bytes take, by how many elements are copied at once.
double copy_factor(int together, int element_bytes, const mma_costs& costs) {
    if (together == 1 && element_bytes < 8) return costs.single_factor;
    double factor = 1;
    for (int copied = together * element_bytes; copied < 16; copied *= 2)
        factor *= costs.eight_bytes_factor;
    return factor;
}

}  // namespace

int ctas_at_a_time(int cluster, int sms) {
    // A GPU's groups of SMs hold whole clusters: of 132 SMs those of four or eight reach 120, and
    // 124 CTAs took a second wave.
    return cluster <= 2 ? sms : std::max(1, (sms - 12) / cluster) * cluster;
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

launch_work work_of(const plan::gemm_plan& plan, const wgmma_problem& p, const gpu_costs& all) {
    const wgmma_costs& costs = all.wgmma;
    const plan::gemm_request& of = p.of;
    const candidate c = plan::candidate_of(plan, of);
    const kernel_desc& k = *c.kernel;
    const double products = products_of(k.accumulate);
    launch_work work;
    work.ctas = static_cast<double>(c.ctas());
    work.places = ctas_at_a_time(c.split_k * c.shared(), of.sms);
    work.on_sm = k.is_persistent() ? 1 : c.ctas_per_sm;
    work.is_persistent = k.is_persistent();
    work.shares_last_wave = k.stream_k;
    work.steps = static_cast<double>(ceil_div(c.k_blocks, c.split_k));
    work.step_math_s = math_s(c, costs);
    work.step_bytes = loaded_bytes(c, of, costs);
    const int stages = std::max(1, stages_that_fit(k, c.split_k, work.on_sm));
    work.step_floor_s = std::max(costs.latency_s / stages, costs.least_step_s) / products;
    work.fill_s = costs.fill_s;
    work.tile_s = tile_s(c, of, costs);
    work.hidden_share = c.is_pingpong() ? 1 - costs.pingpong_seen_share : 0;
    const auto operands = static_cast<double>(of.bytes_of(operands_of(of, p.one_a, p.one_b)));
    work.memory_bytes =
        operands * splits_of(of.accumulate) / products_of(of.accumulate) +
        static_cast<double>(of.batch * of.m * of.n) * of.result_bytes * (of.adds_e ? 2 : 1);
    const bool is_roomy = c.ctas() <= std::int64_t{of.sms} * (work.on_sm - 1);
    work.launch_s = k.is_persistent() ? costs.persistent_launch_s
                    : is_roomy        ? costs.roomy_launch_s
                                      : costs.launch_s;
    if (k.stream_k) work.once_s = costs.stream_k_s;
    if (!k.is_persistent()) work.once_s += costs.sharing_s * (c.shared() - 1) / work.on_sm;
    work.ahead_s = seconds_of(p.packing, all.packing);
    return work;
}

launch_work work_of(const plan::batch_tile& tile, const mma_problem& p, const mma_costs& costs) {
    const plan::batch_request& of = p.of;
    const double area = static_cast<double>(tile.block_m) * tile.block_n;
    const int depth_bytes = p.block_k * p.element_bytes;
    const double copied =
        depth_bytes * (tile.block_m * copy_factor(of.together_a, p.element_bytes, costs) +
                       tile.block_n * copy_factor(of.together_b, p.element_bytes, costs));
    const double sides = 1.0 / tile.block_m + 1.0 / tile.block_n;
    const double stored =
        area * of.result_bytes * share_in(of.m, tile.block_m) * share_in(of.n, tile.block_n);
    launch_work work;
    work.ctas =
        static_cast<double>(of.batch * ceil_div(of.m, tile.block_m) * ceil_div(of.n, tile.block_n));
    work.places = of.sms;
    work.on_sm = tile.ctas_per_sm;
    work.steps = static_cast<double>(ceil_div(of.k, p.block_k));
    work.step_math_s = 2 * area * p.block_k / costs.flop_per_s * (1 + costs.small_tile * sides) +
                       copied / costs.copied_bytes_per_s;
    work.step_floor_s = costs.step_s;
    work.step_bytes = depth_bytes * (tile.block_m + tile.block_n);
    work.fill_s = costs.fill_s;
    work.tile_s = stored / costs.stored_bytes_per_s *
                  (of.vectorized_c ? 1 : costs.stored_odd_factor) *
                  (p.adds_e ? costs.added_factor : 1);
    work.memory_bytes =
        p.element_bytes * static_cast<double>(operands_of(of, of.one_a, of.one_b)) +
        static_cast<double>(of.m * of.n * of.batch) * of.result_bytes * (p.adds_e ? 2 : 1);
    work.launch_s = costs.launch_s;
    return work;
}

const fma_costs& fma_costs_of(dtype type, const gpu_costs& costs) {
    return type == dtype::f64 ? costs.fma_f64 : costs.fma_f32;
}

launch_work work_of(const plan::fma_tile& tile, const plan::fma_cut& cut, const fma_problem& p,
                    const gpu_costs& all) {
    const plan::fma_request& of = p.of;
    const fma_costs& costs = fma_costs_of(of.type, all);
    const auto bytes = [&](std::int64_t elements) {
        return static_cast<double>(core::bytes_of(of.type, elements));
    };
    const double tile_bytes = bytes(std::int64_t{tile.m} * tile.n) / cut.cluster *
                              share_in(of.m, tile.m) * share_in(of.n, tile.n);
    launch_work work;
    work.ctas = static_cast<double>(of.batch * ceil_div(of.m, tile.m) * ceil_div(of.n, tile.n) *
                                    cut.parts());
    work.places = ctas_at_a_time(cut.cluster, of.sms);
    work.on_sm = tile.ctas_per_sm;
    work.steps = static_cast<double>(ceil_div(ceil_div(of.k, tile.k), cut.parts()));
    work.step_math_s = 2.0 * tile.k * tile.m * tile.n / (costs.flop_per_s * tile.share);
    work.step_floor_s = std::max(work.step_math_s / tile.alone, costs.step_s);
    work.step_bytes = bytes(std::int64_t{tile.k} * (tile.m + tile.n));
    work.fill_s = costs.fill_s;
    work.memory_bytes =
        bytes(operands_of(of, p.one_a, p.one_b) + of.m * of.n * of.batch * (p.adds_e ? 2 : 1));
    work.launch_s = costs.launch_s;
    if (cut.cluster > 1)
        work.tile_s +=
            costs.meeting_s * cut.cluster + tile_bytes * cut.cluster / costs.sent_bytes_per_s;
    if (cut.groups > 1) {
        work.tile_s += tile_bytes / costs.passed_bytes_per_s;
        work.once_s = costs.groups_s + cut.groups * tile_bytes / costs.added_bytes_per_s;
    }
    work.tile_s += tile_bytes / cut.groups / costs.stored_bytes_per_s *
                   (of.c_on_16_bytes ? 1 : costs.stored_odd_factor);
    packed_first packing = p.packing;
    if (!tile.reads_along_k) packing.columns += p.along_k_bytes;
    work.ahead_s = seconds_of(packing, all.packing);
    return work;
}

}  // namespace carat::fit
