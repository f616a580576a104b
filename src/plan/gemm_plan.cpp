#include "plan/gemm_plan.hpp"

#include <algorithm>
#include <set>

#include "plan/cpu_plan.hpp"
#include "plan/gemm_candidates.hpp"
#include "plan/gemm_fitted.hpp"

namespace carat::plan {

using core::kernel_schedule;
using tile = matching_kernels::tile;

namespace {

// Of few k-blocks it is storing that counts, not how lines begin.
bool has_at_most(std::int64_t k_blocks, const gemm_request& of) {
    return k_blocks_of(of.k, of) <= k_blocks;
}

// Pingpong unless another tile or cluster was asked for. Their lines are whole ones: at 6000 and
// 10000, whose lines begin at multiples of 32 bytes, they lost 20 to 40 % of their speed. At K =
// 208 to 800 (bf16, i8) they take 0.69 to 0.91 of what other tiles do. Of a batch there is no other
// tile of their size.
bool may_be_pingpong(const gemm_request& of) {
    const gemm_overrides& asked = of.asked;
    if (asked.schedule) return asked.schedule == kernel_schedule::pingpong;
    const bool short_lines = of.a_on_sectors && of.b_on_sectors && has_at_most(8, of);
    return (of.on_lines || short_lines || of.persistent_batch) && asked.block_m == 0 &&
           asked.block_n == 0 && asked.split_k <= 1 && asked.cluster_m == 0;
}

// Of long lines that aren't whole ones they lost as much; e4m3 at K = 336 to 1456 took 0.80 to
// 0.99.
bool may_be_beside(const gemm_request& of) {
    return of.on_lines || of.asked.block_m != 0 || has_at_most(12, of);
}

std::string list(const std::set<std::string>& all) {
    std::string text;
    for (const std::string& one : all) text += (text.empty() ? "" : ", ") + one;
    return text;
}

std::string name_of(const tile& t) {
    return std::to_string(t.block_m) + " x " + std::to_string(t.block_n) + " " +
           std::string(core::kernel_name::name_of(t.schedule));
}

// Single tiles that follow each other on an SM are no faster than C leaves.
double storing_s(const gemm_request& of, const gemm_costs& costs) {
    const auto& fit = costs.batch;
    const auto extent = static_cast<double>(std::min(of.m, of.n));
    const double elements_per_s =
        stages_c(of.m, of.n, of.a_type, of.result_bytes)
            ? fit.staged_elements_per_s
            : fit.stored_elements_per_s * std::min(1.0, extent / fit.thin);
    const auto operands = static_cast<double>(of.batch * of.bytes_of((of.m + of.n) * of.k));
    return costs.launch_s + static_cast<double>(of.batch * of.m * of.n) / elements_per_s +
           fit.seen_operands * operands / costs.memory_bytes_per_s;
}

// In every wave an SM stores the C of its tile.
std::optional<gemm_plan> plan_persistent_batch(const gemm_request& wanted,
                                               const gemm_model& model) {
    gemm_request of = wanted;
    of.persistent_batch = true;
    auto plan = plan_gemm(of, model);
    if (!plan || is_fitted(of, model.costs)) return plan;
    const core::kernel_desc& k = *plan->kernel;
    const auto& fit = model.costs.prediction.persistent;
    const bool swap = plan->swap_ab;
    const std::int64_t tiles = of.batch * ceil_div(swap ? of.n : of.m, k.block_m * k.cluster_m) *
                               k.cluster_m * ceil_div(swap ? of.m : of.n, k.block_n);
    const auto waves = static_cast<double>(ceil_div(tiles, of.sms));
    const double tile_bytes = static_cast<double>(k.block_m) * k.block_n * of.result_bytes;
    const double rate = of.c_on_16_bytes ? fit.stored_bytes_per_s : fit.stored_off_16_bytes_per_s;
    const double hidden =
        k.schedule == kernel_schedule::pingpong ? model.costs.pingpong_storing_share : 1;
    const double all_bytes = static_cast<double>(of.batch * of.m * of.n) * of.result_bytes;
    plan->seconds += hidden * std::max(0.0, waves * tile_bytes / rate -
                                                all_bytes / model.costs.storing_bytes_per_s);
    return plan;
}

std::optional<gemm_plan> fastest_plan(const gemm_request& wanted, const gemm_model& model) {
    const matching_kernels kernels(wanted, model.kernels);
    std::optional<gemm_plan> best;
    const auto try_tile = [&](const tile& t) {
        if (!is_asked_for(t, wanted.asked)) return;
        const auto one = best_clusters(wanted, model.costs, kernels, t);
        if (one && (!best || one->seconds < best->seconds)) best = one;
    };
    const bool any = wanted.by_fitted_costs;
    if (any || may_be_pingpong(wanted))
        for (const tile& t : kernels.tiles())
            if (t.schedule == kernel_schedule::pingpong) try_tile(t);
    for (const tile& t : kernels.tiles()) {
        if (t.schedule == kernel_schedule::pingpong) continue;
        const bool beside = t.block_m == 192;
        if (beside && !any && !may_be_beside(wanted)) continue;
        try_tile(t);
    }
    return best;
}

}  // namespace

bool stages_c(std::int64_t m, std::int64_t n, dtype elements, int result_bytes) {
    constexpr std::int64_t fewest = 64;
    return is_half(elements) && result_bytes == 2 && std::min(m, n) >= fewest;
}

std::optional<gemm_plan> plan_batch(const gemm_request& wanted, const gemm_model& model) {
    gemm_request of = wanted;
    of.asked.schedule = kernel_schedule::single_tile;
    auto at_once = plan_gemm(of, model);
    const bool fitted = is_fitted(wanted, model.costs);
    if (at_once && !fitted)
        at_once->seconds = std::max(at_once->seconds, storing_s(wanted, model.costs));
    if (wanted.asked == gemm_overrides{}) {
        const auto persistent = plan_persistent_batch(wanted, model);
        if (persistent && (!at_once || persistent->seconds < at_once->seconds))
            at_once = persistent;
    }
    of = wanted;
    of.batch = 1;
    const auto one = plan_gemm(of, model);
    if (!at_once || (one && static_cast<double>(wanted.batch) * one->seconds < at_once->seconds))
        return std::nullopt;
    return at_once;
}

std::optional<gemm_plan> plan_gemm(const gemm_request& wanted, const gemm_model& model) {
    auto best = fastest_plan(wanted, model);
    if (!best || !is_fitted(wanted, model.costs)) return best;
    best->seconds = fitted_seconds(candidate_of(*best, wanted), wanted, model.costs);
    gemm_request of = wanted;
    of.by_fitted_costs = true;
    const auto other = fastest_plan(of, model);
    const double worth = model.costs.fitted_worth_factor;
    return other && worth * other->seconds < best->seconds ? other : best;
}

std::string reason_against(const gemm_request& wanted, const gemm_model& model) {
    const matching_kernels kernels(wanted, model.kernels);
    std::set<std::string> there;
    for (const tile& t : kernels.tiles()) {
        if (is_asked_for(t, wanted.asked)) return {};
        there.insert(name_of(t));
    }
    const gemm_overrides& asked = wanted.asked;
    std::string what;
    const auto add = [&](const char* name, const std::string& value) {
        what += (what.empty() ? "" : " ") + std::string(name) + "=" + value;
    };
    if (asked.block_m != 0) add("block_m", std::to_string(asked.block_m));
    if (asked.block_n != 0) add("block_n", std::to_string(asked.block_n));
    if (asked.schedule) add("schedule", std::string(core::kernel_name::name_of(*asked.schedule)));
    if (there.empty() && asked.swaps_for_c_only) add("swap_ab", "1");
    return "no kernel has " + what + " for " + std::string(name(wanted.a_type)) + " by " +
           std::string(name(wanted.b_type)) + " that lie so: there " +
           (there.empty() ? "is none" : "are " + list(there));
}

}  // namespace carat::plan
