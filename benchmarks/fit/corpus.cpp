#include "benchmarks/fit/corpus.hpp"

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "core/swap_ab.hpp"
#include "cuda/engine/arithmetic.hpp"
#include "cuda/simt/kernel_table.hpp"
#include "cuda/simt/product.hpp"
#include "cuda/sm80/kernel_table.hpp"
#include "cuda/sm80/product.hpp"
#include "cuda/sm90/host/request.hpp"
#include "cuda/sm90/kernel_table.hpp"
#include "plan/gemm_cost.hpp"

namespace carat::fit {

namespace {

using cuda::engine::arithmetic;
using nlohmann::json;

struct kind {
    arithmetic how;
    dtype a, b;
};
const std::map<std::string, kind> kinds = {
    {"bf16", {arithmetic::native, dtype::bf16, dtype::bf16}},
    {"f16", {arithmetic::native, dtype::f16, dtype::f16}},
    {"f32", {arithmetic::native, dtype::f32, dtype::f32}},
    {"f64", {arithmetic::native, dtype::f64, dtype::f64}},
    {"tf32", {arithmetic::tf32, dtype::f32, dtype::f32}},
    {"3xtf32", {arithmetic::three_tf32, dtype::f32, dtype::f32}},
    {"i8", {arithmetic::native, dtype::i8, dtype::i8}},
    {"e4m3", {arithmetic::native, dtype::e4m3, dtype::e4m3}},
    {"e5m2", {arithmetic::native, dtype::e5m2, dtype::e4m3}},
    {"e4m3_fast", {arithmetic::fast_fp8, dtype::e4m3, dtype::e4m3}}};

constexpr int sms = 132;

dtype type_called(const std::string& text) {
    for (const dtype t : {dtype::bf16, dtype::f16, dtype::f32, dtype::f64, dtype::i32})
        if (name(t) == text) return t;
    throw std::runtime_error("no C has the type " + text);
}

cuda::gemm_task task_of(const json& d, const kind& k) {
    cuda::gemm_task task;
    core::problem& p = task.problem;
    p.a_type = k.a;
    p.b_type = k.b;
    p.c_type = type_called(d["c"]);
    p.m = d["m"];
    p.n = d["n"];
    p.k = d["k"];
    const json& at = d["at"];
    p.a_layout = {at[0], at[1]};
    p.b_layout = {at[2], at[3]};
    p.c_layout = {at[4], at[5]};
    p.beta = d["beta"].get<int>();
    task.batch = {d["batch"][0], d["batch"][1].get<int>() != 0, d["batch"][2].get<int>() != 0};
    task.aligned = {d["aligned"][0].get<int>() != 0, d["aligned"][1].get<int>() != 0};
    return task;
}

measured_plan plan_of(const json& w, const measured_product& of) {
    measured_plan plan{.of = static_cast<family>(w[0].get<int>()),
                       .us = w[7],
                       .in_turns = w[8].get<int>() >= 3,
                       .wgmma = {},
                       .row = w[1]};
    if (plan.of == family::wgmma) {
        plan.wgmma = {.kernel = &cuda::sm90::kernel_table[plan.row],
                      .swap_ab = w[2].get<int>() != 0,
                      .split_k = w[3],
                      .cluster_m = w[4],
                      .cluster_n = w[5],
                      .ctas_per_sm = w[6]};
        const core::kernel_desc& k = *plan.wgmma.kernel;
        // What is planned without enough stages has its SM to itself.
        if (plan::stages_that_fit(k, plan.wgmma.split_k, plan.wgmma.ctas_per_sm) <
            plan::fewest_stages(k.accumulate))
            plan.wgmma.ctas_per_sm = 1;
    }
    if (plan.of == family::fma) {
        plan.cut = {w[4], w[3]};
        const dtype type = of.fma.type;
        std::size_t first = 0;
        while (cuda::simt::kernel_table[first].type != type) ++first;
        plan.row -= first;
    }
    return plan;
}

// Measured once, a plan that takes much longer than its twin, which swaps A and B, was disturbed.
void leave_out_disturbed(std::vector<measured_plan>& plans) {
    constexpr double much = 1.4;
    const auto are_twins = [](const plan::gemm_plan& x, const plan::gemm_plan& y) {
        return x.kernel->block_m == y.kernel->block_m && x.kernel->block_n == y.kernel->block_n &&
               x.kernel->schedule == y.kernel->schedule && x.split_k == y.split_k &&
               x.cluster() == y.cluster() && x.ctas_per_sm == y.ctas_per_sm;
    };
    const std::vector<measured_plan> all = plans;
    std::erase_if(plans, [&](const measured_plan& one) {
        return one.of == family::wgmma && !one.in_turns && !one.wgmma.kernel->is_persistent() &&
               std::ranges::any_of(all, [&](const measured_plan& other) {
                   return other.of == family::wgmma && are_twins(one.wgmma, other.wgmma) &&
                          one.us > much * other.us;
               });
    });
}

std::optional<measured_product> product_of(const json& d) {
    measured_product made;
    made.kind = d["kind"];
    const kind& k = kinds.at(made.kind);
    cuda::gemm_task task = task_of(d, k);
    const core::problem& p = task.problem;
    if (is_fp8(k.a) && p.c_type == dtype::f16) return std::nullopt;  // kernels don't store it
    const cuda::gemm_task own = task;
    task.accumulate = cuda::engine::accumulation_for(k.how, k.a);
    if (task.accumulate == core::accumulation::promoted && core::bytes_of(k.a, p.k) <= 128)
        task.accumulate = core::accumulation::native;
    made.flop = 2.0 * static_cast<double>(p.m * p.n) * static_cast<double>(p.k) *
                static_cast<double>(task.batch.count);
    made.is_batch = task.batch.count > 1;
    if (cuda::engine::is_on_tensor_cores(k.how, k.a)) {
        made.wgmma = cuda::sm90::request_for(task);
        made.wgmma.sms = sms;
    } else {
        made.fma = cuda::simt::request_for(own, {}, sms);
    }
    const auto how = k.how == arithmetic::tf32 ? cuda::sm80::arithmetic::tf32
                                               : cuda::sm80::arithmetic::own;
    if (cuda::sm80::takes(own, how)) {
        made.mma = cuda::sm80::request_for(own, sms);
        made.mma_costs = is_half(k.a)            ? &plan::gpu_costs::mma_half
                         : k.a == dtype::f64     ? &plan::gpu_costs::mma_f64
                         : k.how == arithmetic::tf32 ? &plan::gpu_costs::mma_tf32
                                                 : &plan::gpu_costs::mma_f32;
        const plan::batch_model model = cuda::sm80::model_for(p, how, {});
        made.mma_tiles = model.tiles;
        made.element_bytes = model.element_bytes;
        made.mma_block_k = model.block_k;
    }
    for (const json& w : d["ways"]) {
        if (w[7].get<double>() <= 0) continue;
        const measured_plan one = plan_of(w, made);
        if (one.of == family::chosen)
            made.chosen_us = one.us;
        else
            made.plans.push_back(one);
    }
    leave_out_disturbed(made.plans);
    return made;
}

}  // namespace

std::vector<measured_product> read_corpus(const std::vector<std::string>& files) {
    std::vector<measured_product> all;
    for (const std::string& file : files) {
        std::ifstream in(file);
        if (!in) throw std::runtime_error(file + " can't be read");
        for (std::string line; std::getline(in, line);) {
            const json d = json::parse(line, nullptr, false);
            if (d.is_discarded()) continue;
            if (auto one = product_of(d)) all.push_back(std::move(*one));
        }
    }
    return all;
}

double predicted_s(const measured_plan& plan, const measured_product& product,
                   const plan::gpu_costs& costs) {
    if (plan.of == family::wgmma) return plan::seconds_of(plan.wgmma, product.wgmma, costs);
    if (plan.of == family::mma) {
        const plan::batch_model model{costs.*product.mma_costs, product.mma_tiles,
                                      product.element_bytes, product.mma_block_k};
        return time_of(plan::work_of(product.mma_tiles[plan.row], product.mma, model),
                       model.costs.sharing())
            .seconds;
    }
    const plan::simt_tile& tile = cuda::simt::tiles_of(product.fma.type)[plan.row];
    return time_of(plan::work_of(tile, plan.cut, product.fma, costs),
                   plan::fma_costs_of(product.fma.type, costs).sharing())
        .seconds;
}

}  // namespace carat::fit
