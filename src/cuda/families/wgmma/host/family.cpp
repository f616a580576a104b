#include "cuda/families/wgmma/host/family.hpp"

#include <algorithm>
#include <vector>

#include "cuda/common/costs.hpp"
#include "cuda/common/sms.hpp"
#include "cuda/families/wgmma/host/gemm.hpp"
#include "cuda/families/wgmma/host/request.hpp"
#include "cuda/families/wgmma/kernel_table.hpp"
#include "plan/cpu_plan.hpp"

namespace carat::cuda::wgmma {

namespace {

std::string why_not_on(const device_facts& gpu) {
    if (gpu.compute_capability == 90) return {};
    return "wgmma is an instruction of compute capability 9.0 alone";
}

bool is_for(const core::gpu_call& call) {
    return call.is_on_tensor_cores();
}

plan::gemm_model model_in_use() {
    return {kernel_table, costs_in_use()};
}

plan::gemm_request request_here(const core::gpu_call& call, const plan::gemm_overrides& asked) {
    plan::gemm_request of = request_for(call);
    of.sms = sms_for_products();
    of.asked = asked;
    return of;
}

// The call of one product whose data is aligned.
core::gpu_call alone(const core::problem& p, core::gpu_arithmetic how) {
    return {.problem = p, .arithmetic = how};
}

std::string why_not(const core::gpu_call& call, const plan::gemm_overrides& asked) {
    return plan::reason_against(request_here(alone(call.problem, call.arithmetic), asked),
                                model_in_use());
}

// A launch for each product of a batch.
plan::gpu_plan one_by_one(double seconds) {
    return {.family = "wgmma", .one_by_one = true, .seconds = seconds};
}

std::optional<plan::gpu_plan> choose_tiles(const core::gpu_call& given, const plan_wish& wish) {
    const core::gpu_call call = as_summed(given, wish.is_asked);
    const plan::gemm_model model = model_in_use();
    plan::gemm_request of = request_here(call, wish.asked);
    const bool is_batch = of.batch > 1;
    const double packing = plan::seconds_of(of.packing, model.costs.packing);
    if (const auto with = is_batch ? plan::plan_batch(of, model) : plan::plan_gemm(of, model))
        return as_gpu_plan(*with, packing + with->seconds, wish.chosen_by);
    if (is_batch && wish.is_asked) return one_by_one(0);
    if (!is_batch) return std::nullopt;
    const auto count = static_cast<double>(of.batch);
    of.batch = 1;
    const auto one = plan::plan_gemm(of, model);
    if (!one) return std::nullopt;
    return one_by_one(packing + count * std::max(one->seconds, model.costs.host_s));
}

// A B has twice the columns that the problem says.
std::optional<plan::gpu_plan> choose_glu(const core::gpu_call& call, const plan_wish& wish) {
    const core::gpu_call whole = alone(call.multiplied(), call.arithmetic);
    const auto with = plan::plan_glu(request_here(whole, wish.asked), model_in_use());
    if (!with) return std::nullopt;
    return as_gpu_plan(*with, with->seconds, wish.chosen_by);
}

// K is shared out by maps that begin with any of its lines, where both operands lie across it. Big
// and small parts lie behind each other along K: there is one K for all.
bool is_shared_out_by_tma(const plan::gemm_request& like, const core::gpu_call& call) {
    return call.products.are != core::multiplicity::depth ||
           (call.arithmetic != core::gpu_arithmetic::three_tf32 &&
            like.a_major == core::operand_major::mn && like.b_major == core::operand_major::mn);
}

// Whether TMA can store any rows of C, and nothing is added.
bool stores_rows(const core::gpu_call& call) {
    const core::problem& p = call.problem;
    const auto is_whole = [&](std::int64_t elements) {
        return core::bytes_of(p.c_type, elements) % 16 == 0;
    };
    return call.products.are == core::multiplicity::rows && p.beta == 0 && call.aligned.c &&
           p.c_layout.col_stride == 1 && p.c_layout.row_stride > 0 &&
           is_whole(p.c_layout.row_stride) && is_whole(p.n);
}

// As many as there may be.
std::vector<plan::product_size> likely_sizes(const core::gpu_call& call) {
    const core::problem each = call.likely();
    const bool has_three = call.arithmetic == core::gpu_arithmetic::three_tf32;
    const std::int64_t count =
        call.products.are == core::multiplicity::depth
            ? call.products.count
            : std::clamp<std::int64_t>(call.products.count, 1, call.problem.m);
    return std::vector<plan::product_size>(
        static_cast<std::size_t>(count),
        plan::product_size{each.m, each.n, each.k * (has_three ? 3 : 1)});
}

plan::gemm_overrides cut_of_group(const core::gpu_call& call) {
    return {.split_k = call.batch_invariant ? 1 : 0};
}

std::optional<plan::gpu_plan> choose_ragged(const core::gpu_call& call) {
    core::problem seen = call.problem;
    // Rows of one k each 1 apart would be lines across K as well.
    if (call.products.are == core::multiplicity::rows)
        seen.a_layout = core::row_major(std::max<std::int64_t>(2, seen.k));
    const plan::gemm_request like = request_here(alone(seen, call.arithmetic), cut_of_group(call));
    if (!is_shared_out_by_tma(like, call)) return std::nullopt;
    const plan::group_plan with =
        plan::plan_group(like, likely_sizes(call), model_in_use(), stores_rows(call));
    if (with.plan.kernel == nullptr) return std::nullopt;
    return as_gpu_plan(with.plan, with.plan.seconds, "for a ragged group");
}

std::optional<plan::gpu_plan> choose(const core::gpu_call& call, const plan_wish& wish) {
    if (!call.is_on_tensor_cores()) return std::nullopt;
    if (call.epilogue.is_glu) return choose_glu(call, wish);
    if (call.products.is_ragged()) return choose_ragged(call);
    return choose_tiles(call, wish);
}

group_choice choose_group(const core::gpu_call& call, std::span<const core::gpu_product> all,
                          const layout_class& layout, bool share_rows) {
    std::vector<plan::product_size> sizes;
    sizes.reserve(all.size());
    for (const core::gpu_product& g : all) sizes.push_back({g.problem.m, g.problem.n, g.problem.k});
    plan::gemm_request like =
        request_here(alone(all.front().problem, call.arithmetic), cut_of_group(call));
    like.a_major = layout.a;
    like.b_major = layout.b;
    like.c_by_rows = layout.c_by_rows;
    const plan::group_plan with = plan::plan_group(like, sizes, model_in_use(), share_rows);
    if (!with.at_once) return {};
    return {as_gpu_plan(with.plan, with.plan.seconds, "for a group"), true,
            with.plan.kernel->batched};
}

std::optional<layout_class> layout_of(const core::gpu_product& member, core::gpu_arithmetic how) {
    const dtype type = member.problem.a_type;
    if (!core::is_on_tensor_cores(how, type)) return std::nullopt;
    return layout_in_group(member, core::accumulation_for(how, type));
}

}  // namespace

core::gpu_call as_summed(core::gpu_call call, bool is_asked) {
    constexpr std::int64_t block_of_k_bytes = 128;
    const core::problem& p = call.problem;
    if (core::bytes_of(p.a_type, p.k) <= block_of_k_bytes && !is_asked &&
        call.accumulate() == core::accumulation::promoted)
        call.arithmetic = core::gpu_arithmetic::fast_fp8;
    return call;
}

plan::gpu_plan as_gpu_plan(const plan::gemm_plan& with, double seconds,
                           std::string_view chosen_by) {
    const kernel_desc& k = *with.kernel;
    return {.family = "wgmma",
            .row = static_cast<std::size_t>(&k - kernel_table.data()),
            .schedule = core::kernel_name::name_of(k.schedule),
            .block_m = k.block_m,
            .block_n = k.block_n,
            .swap_ab = with.swap_ab,
            .split_k = with.split_k,
            .cluster_k = with.split_k,
            .cluster_m = with.cluster_m,
            .cluster_n = with.cluster_n,
            .ctas_per_sm = with.ctas_per_sm,
            .seconds = seconds,
            .chosen_by = chosen_by};
}

std::unique_ptr<const gemm_product> prepare(const core::gpu_call& given,
                                            const plan::gpu_plan& with) {
    const kernel_desc& k = kernel_table[with.row];
    const bool is_short = k.accumulate == core::accumulation::native;
    return std::make_unique<gemm>(is_short ? as_summed(given, false) : given, with);
}

const family& row() {
    static constexpr grouping groups = {
        .layout = layout_of, .choose = choose_group, .stores_glu = stores_glu};
    static constexpr family all = {.name = "wgmma",
                                   .why_not_on = why_not_on,
                                   .is_for = is_for,
                                   .why_not = why_not,
                                   .choose = choose,
                                   .prepare = prepare,
                                   .groups = &groups,
                                   .kernels = kernel_table};
    return all;
}

}  // namespace carat::cuda::wgmma
