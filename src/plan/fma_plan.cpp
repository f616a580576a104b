#include "plan/fma_plan.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "core/dtype_traits.hpp"
#include "plan/cpu_plan.hpp"
#include "plan/gemm_plan.hpp"
#include "plan/launch.hpp"

namespace carat::plan {

namespace {

// Groups that worked out; of more than a thousand shares of tiles no kernel keeps count, and what
// groups leave to the last one should not leave L2 by much.
constexpr int groups_tried[] = {1, 2, 3, 4, 5, 6, 8, 12, 16};
constexpr std::int64_t most_shared = 1024;
constexpr std::int64_t most_left_bytes = 64'000'000;

std::int64_t tiles_of(const fma_tile& t, const fma_request& p) {
    return p.batch * ceil_div(p.m, t.m) * ceil_div(p.n, t.n);
}

bool may_form(int groups, const fma_tile& t, const fma_request& p, int cluster) {
    const std::int64_t tiles = tiles_of(t, p);
    return groups == 1 || (tiles * cluster <= most_shared &&
                           core::bytes_of(p.type, tiles * groups * t.m * t.n) <= most_left_bytes);
}

std::vector<fma_cut> cuts_of(const fma_tile& t, const fma_request& p) {
    std::vector<fma_cut> all;
    const std::int64_t steps = ceil_div(p.k, t.k);
    for (int cluster = 1; cluster <= t.most_cluster; cluster *= 2)
        for (const int groups : groups_tried) {
            const fma_cut cut{cluster, groups};
            if (may_form(groups, t, p, cluster) && cut.parts() <= steps &&
                (p.cluster == 0 || p.cluster == cluster) &&
                (p.split_k == 0 || cut.parts() <= p.split_k))
                all.push_back(cut);
        }
    if (p.split_k == 0 || all.empty()) return all;
    const int most = std::ranges::max(all, {}, &fma_cut::parts).parts();
    std::erase_if(all, [&](const fma_cut& cut) { return cut.parts() < most; });
    return all;
}

bool is_straight_f64(const fma_way& t, dtype type) {
    return type == dtype::f64 && t.arrives == arrival::straight;
}

bool is_asked_for(const fma_way& t, const fma_request& p) {
    return (p.block_m == 0 || t.m == p.block_m) && (p.block_n == 0 || t.n == p.block_n) &&
           (p.arrives == arrival::chosen || t.arrives == p.arrives) && reads_both(t, p) &&
           (!p.leaves_sms || takes_tiles_in_turn(t, p)) &&
           (!p.batch_invariant || sums_in_order(t, p));
}

double bytes_of(const fma_request& p, std::int64_t elements) {
    return static_cast<double>(core::bytes_of(p.type, elements));
}

double memory_bytes(const fma_request& p) {
    return bytes_of(p, p.k * (p.m * (p.one_a ? 1 : p.batch) + p.n * (p.one_b ? 1 : p.batch)) +
                           p.m * p.n * p.batch * (p.adds_e ? 2 : 1));
}

}  // namespace

const fma_costs& fma_costs_of(const fma_way& tile, dtype type, const gpu_costs& costs) {
    if (type != dtype::f64) return costs.fma_f32;
    return is_straight_f64(tile, type) ? costs.fma_f64_straight : costs.fma_f64;
}

// Kernels that read tiles where they arrive want row-major operands.
bool reads_both(const fma_way& t, const fma_request& p) {
    return t.arrives != arrival::straight ||
           (p.a.runs_along_k && !p.b.runs_along_k && p.a.lies <= t.reads && p.b.lies <= t.reads);
}

bool takes_tiles_in_turn(const fma_way& t, const fma_request& p) {
    return !is_straight_f64(t, p.type);
}

bool sums_in_order(const fma_way& t, const fma_request& p) {
    return !is_straight_f64(t, p.type);
}

packed_first packing_before(const fma_tile& of, const fma_request& wanted) {
    packed_first all;
    for (const fma_operand& one : {wanted.a, wanted.b})
        if (one.lies > of.reads) (one.runs_along_k ? all.columns : all.lines) += one.packing_bytes;
    return all;
}

launch_work work_of(const fma_way& of, const fma_cut& cut, const fma_request& p,
                    const gpu_costs& all) {
    const fma_costs& costs = fma_costs_of(of, p.type, all);
    const double tile_bytes =
        stored_bytes(std::min<std::int64_t>(p.m, of.m), std::min<std::int64_t>(p.n, of.n),
                     static_cast<int>(size_bytes(p.type))) /
        cut.cluster;
    launch_work work;
    work.ctas = static_cast<double>(tiles_of(of, p) * cut.parts());
    work.places = static_cast<double>(ctas_at_a_time(cut.cluster, p.sms));
    work.on_sm = of.ctas_per_sm;
    work.steps = static_cast<double>(ceil_div(ceil_div(p.k, of.k), cut.parts()));
    work.step_math_s = 2.0 * of.k * of.m * of.n / (costs.flop_per_s * of.share);
    work.step_alone_s = work.step_math_s / of.alone;
    work.step_floor_s = costs.step_s;
    work.step_bytes = bytes_of(p, std::int64_t{of.k} * (of.m + of.n));
    work.fill_s = costs.fill_s;
    work.memory_bytes = memory_bytes(p);
    work.launch_s = costs.launch_s;
    if (cut.cluster > 1)
        work.tile_s +=
            costs.meeting_s * cut.cluster + tile_bytes * cut.cluster / costs.sent_bytes_per_s;
    if (cut.groups > 1) {
        work.tile_s += tile_bytes / costs.passed_bytes_per_s;
        work.once_s = costs.groups_s + cut.groups * tile_bytes / costs.added_bytes_per_s;
    }
    work.tile_s +=
        tile_bytes / cut.groups / costs.stored_bytes_per_s *
        (p.c_on_16_bytes || of.arrives == arrival::straight ? 1 : costs.stored_odd_factor);
    work.ahead_s = seconds_of(packing_before(of, p), all.packing);
    return work;
}

double seconds_of(const fma_way& tile, const fma_cut& cut, const fma_request& of,
                  const gpu_costs& costs) {
    return time_of(work_of(tile, cut, of, costs), fma_costs_of(tile, of.type, costs).sharing)
        .seconds;
}

std::optional<fma_plan> make_fma_plan(const fma_request& wanted, std::span<const fma_way> tiles,
                                      const gpu_costs& costs) {
    std::optional<fma_plan> best;
    for (std::size_t i = 0; i < tiles.size(); ++i) {
        const fma_way& t = tiles[i];
        if (!is_asked_for(t, wanted)) continue;
        for (const fma_cut& cut : cuts_of(t, wanted)) {
            const double taken = seconds_of(t, cut, wanted, costs);
            if (!best || taken < best->seconds)
                best = {.tile = i, .block_m = t.m, .block_n = t.n, .cut = cut, .seconds = taken};
        }
    }
    return best;
}

std::string reason_against(const fma_request& wanted, std::span<const fma_way> tiles) {
    if (wanted.arrives == arrival::straight && !(wanted.a.runs_along_k && !wanted.b.runs_along_k))
        return "turned=3 reads A's lines along K and B's across it: A and B have to be row-major";
    std::string there;
    for (const fma_way& t : tiles) {
        if (is_asked_for(t, wanted)) return {};
        there += (there.empty() ? "" : ", ") + std::to_string(t.m) + " x " + std::to_string(t.n);
    }
    return std::string("no kernel has") +
           (wanted.block_m == 0 ? "" : " block_m=" + std::to_string(wanted.block_m)) +
           (wanted.block_n == 0 ? "" : " block_n=" + std::to_string(wanted.block_n)) +
           (wanted.arrives == arrival::chosen
                ? ""
                : " turned=" + std::to_string(static_cast<int>(wanted.arrives))) +
           " for " + std::string(name(wanted.type)) + ": there are " + there;
}

}  // namespace carat::plan
