#include "plan/gemm_plan.hpp"

#include <algorithm>
#include <set>

#include "plan/gemm_candidates.hpp"
#include "plan/gemm_cost.hpp"

namespace carat::plan {

namespace {

std::string list(const std::set<std::string>& all) {
    std::string text;
    for (const std::string& one : all) text += (text.empty() ? "" : ", ") + one;
    return text;
}

std::string name_of(const core::kernel_desc& k) {
    return std::to_string(k.block_m) + " x " + std::to_string(k.block_n) + " " +
           std::string(core::kernel_name::name_of(k.schedule));
}

std::optional<gemm_plan> fastest(const gemm_request& wanted, const gemm_model& model) {
    std::optional<gemm_plan> best;
    const auto keep = [&](const candidate& c) {
        const double taken = seconds(c, wanted, model.costs);
        if (is_better(c, taken, best, wanted)) best = plan_of(c, taken);
    };
    for (const core::kernel_desc& kernel : model.kernels) each_candidate(wanted, kernel, keep);
    return best;
}

}  // namespace

std::optional<gemm_plan> plan_gemm(const gemm_request& wanted, const gemm_model& model) {
    std::optional<gemm_plan> best = fastest(wanted, model);
    gemm_request of = wanted;
    // Not every tile's CTAs can share all that was asked for.
    if (!best && (wanted.asked.cluster_m > 1 || wanted.asked.cluster_n > 1)) {
        of.asked.cluster_m = of.asked.cluster_n = 0;
        best = fastest(of, model);
    }
    if (!best && wanted.asked.split_k > 1) {
        of.asked.split_k = 1;
        best = fastest(of, model);
    }
    return best;
}

double seconds_of(const gemm_plan& plan, const gemm_request& of, const gpu_costs& costs) {
    return seconds_of(of.packing, costs.packing) + seconds(candidate_of(plan, of), of, costs);
}

std::optional<gemm_plan> plan_batch(const gemm_request& wanted, const gemm_model& model) {
    const auto at_once = plan_gemm(wanted, model);
    if (!at_once) return at_once;
    gemm_request of = wanted;
    of.batch = 1;
    const auto one = plan_gemm(of, model);
    const bool is_slower =
        one && static_cast<double>(wanted.batch) * std::max(one->seconds, model.costs.host_s) <
                   at_once->seconds;
    return is_slower ? std::nullopt : at_once;
}

std::string reason_against(const gemm_request& wanted, const gemm_model& model) {
    const gemm_overrides& asked = wanted.asked;
    std::set<std::string> there;
    for (const core::kernel_desc& k : model.kernels)
        for (const bool swap_ab : {false, true}) {
            if (asked.swaps_for_c_only && swap_ab == wanted.c_by_rows) continue;
            if (!matches(k, wanted, swap_ab) || (k.batched && wanted.batch == 1)) continue;
            if (is_asked_for(k, asked)) return {};
            there.insert(name_of(k));
        }
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
