#include "benchmarks/fit/corpus.hpp"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "benchmarks/fit/drawn.hpp"
#include "benchmarks/gpu_call/turns.hpp"
#include "cuda/families/fma/kernel_table.hpp"
#include "cuda/families/fma/product.hpp"
#include "cuda/families/gemv/product.hpp"
#include "cuda/families/mma/kernel_table.hpp"
#include "cuda/families/mma/lean_product.hpp"
#include "cuda/families/mma/multistage_product.hpp"
#include "cuda/families/mma/packed_product.hpp"
#include "cuda/families/mma/product.hpp"
#include "cuda/families/wgmma/host/family.hpp"
#include "cuda/families/wgmma/host/request.hpp"
#include "cuda/families/wgmma/kernel_table.hpp"
#include "plan/costs.hpp"
#include "plan/gemm_cost.hpp"

namespace carat::fit {

namespace {

using core::problem;
using arithmetic = core::gpu_arithmetic;
using nlohmann::json;

constexpr int sms_of_h200 = 132;

// Rows of tables are numbers that change; names of kernels stay.
const std::vector<std::string>& names_of_wgmma() {
    static const auto all = [] {
        std::vector<std::string> names;
        for (const core::kernel_desc& k : cuda::wgmma::kernel_table)
            names.emplace_back(core::kernel_name(k).view());
        return names;
    }();
    return all;
}
const std::vector<std::string>& names_of_fma() {
    static const auto all = [] {
        std::vector<std::string> names;
        for (const cuda::fma::kernel_desc& k : cuda::fma::kernel_table) {
            std::string one(name(k.type));
            for (const int x : {k.thread_m, k.thread_n, k.lanes_m, k.warps_m, k.warps_n})
                one += "_" + std::to_string(x);
            if (k.arrives == plan::arrival::turned) one += "_turns";
            if (k.arrives == plan::arrival::straight) one += "_straight";
            names.push_back(one);
        }
        return names;
    }();
    return all;
}

const kind& kind_called(const std::string& text) {
    for (const kind& k : kinds())
        if (text == k.name) return k;
    throw std::runtime_error("there is no kind " + text);
}

dtype type_called(const std::string& text) {
    for (const dtype t : {dtype::bf16, dtype::f16, dtype::f32, dtype::f64, dtype::i32})
        if (name(t) == text) return t;
    throw std::runtime_error("no C has the type " + text);
}

core::gpu_call call_of(const json& d, const kind& k) {
    core::gpu_call call{.arithmetic = k.how};
    problem& p = call.problem;
    p.a_type = k.a;
    p.b_type = k.b;
    p.c_type = type_called(d.at("c"));
    p.m = d.at("m");
    p.n = d.at("n");
    p.k = d.at("k");
    const json& at = d.at("at");
    p.a_layout = {at.at(0), at.at(1)};
    p.b_layout = {at.at(2), at.at(3)};
    p.c_layout = {at.at(4), at.at(5)};
    p.beta = d.at("beta").get<int>();
    const json& batch = d.at("batch");
    const std::int64_t count = batch.at(0);
    call.products = {count > 1 ? core::multiplicity::strided : core::multiplicity::one, count,
                     batch.at(1).get<int>() != 0, batch.at(2).get<int>() != 0};
    const json& aligned = d.at("aligned");
    call.aligned = {aligned.at(0).get<int>() != 0, aligned.at(1).get<int>() != 0};
    return call;
}

plan::mma_costs plan::gpu_costs::*costs_of_mma(const kind& k) {
    if (is_half(k.a)) return &plan::gpu_costs::mma_half;
    if (k.a == dtype::f64) return &plan::gpu_costs::mma_f64;
    return k.how == arithmetic::tf32 ? &plan::gpu_costs::mma_tf32 : &plan::gpu_costs::mma_f32;
}

// A kernel of one file's table by its row here; none if it is gone.
struct rows_then {
    std::vector<std::string> wgmma, fma;  // names; none: rows are those of today

    [[nodiscard]] std::optional<std::size_t> now(family of, std::size_t row) const {
        const std::vector<std::string>& then = of == family::wgmma ? wgmma : fma;
        if (then.empty() || (of != family::wgmma && of != family::fma)) return row;
        const auto& all = of == family::wgmma ? names_of_wgmma() : names_of_fma();
        const auto found = std::ranges::find(all, then.at(row));
        if (found == all.end()) return std::nullopt;
        return static_cast<std::size_t>(found - all.begin());
    }
};

measured_plan plan_of(const json& w, const measured_product& of) {
    measured_plan plan{.of = static_cast<family>(w.at(0).get<int>()),
                       .times = {w.at(7).get<std::vector<double>>()},
                       .wgmma = {},
                       .row = w.at(1),
                       .cut = {}};
    plan.us = plan.times.us();
    plan.in_turns = plan.times.in_turns();
    if (plan.of == family::wgmma) {
        if (plan.row >= cuda::wgmma::kernel_table.size())
            throw std::runtime_error("there is no kernel " + std::to_string(plan.row));
        plan.wgmma = {.kernel = &cuda::wgmma::kernel_table[plan.row],
                      .swap_ab = w.at(2).get<int>() != 0,
                      .split_k = w.at(3),
                      .cluster_m = w.at(4),
                      .cluster_n = w.at(5),
                      .ctas_per_sm = w.at(6)};
    }
    if (plan.of == family::fma) {
        plan.cut = {w.at(4), w.at(3)};
        const auto first =
            std::ranges::find(cuda::fma::kernel_table, of.fma.type, &cuda::fma::kernel_desc::type);
        plan.row -= static_cast<std::size_t>(first - cuda::fma::kernel_table.begin());
        if (plan.row >= cuda::fma::tiles_of(of.fma.type).size())
            throw std::runtime_error("no tile of fma is that of a plan");
    }
    const bool is_large = plan.of == family::large;
    if (is_large || plan.of == family::mma) plan.splits = std::max(1, w.at(3).get<int>());
    if (is_large && plan.row >= cuda::mma::multistage_tiles(of.type, of.arithmetic).size())
        throw std::runtime_error("no large tile of mma is that of a plan");
    if (plan.of == family::lean && plan.row >= cuda::mma::lean_tiles.size())
        throw std::runtime_error("no lean tile of mma is that of a plan");
    if (plan.of == family::mma && plan.row >= of.kernels_of_mma->tiles.size())
        throw std::runtime_error("no tile of mma is that of a plan");
    return plan;
}

// Small tiles, and large ones, of what a GPU without other kernels packs for them.
void add_mma(measured_product& made, const core::gpu_call& call, const kind& k, int sms) {
    namespace mma = cuda::mma;
    made.type = k.a;
    made.arithmetic = k.how;
    mma::packed_operands packs;
    if (!mma::reads(call)) packs = {true, true};
    if (const core::gpu_call read = mma::packed(call, packs); mma::reads(read)) {
        made.packed_for_mma = mma::bytes_packed(call, packs);
        made.mma = mma::request_for(read, sms);
        made.costs_of_mma = costs_of_mma(k);
        made.kernels_of_mma.emplace(mma::model_for(call, plan::costs_of_h200));
    }
    if (mma::multistage_tiles(k.a, k.how).empty()) return;
    packs = mma::packs_for_multistage(call);
    made.packed_for_large = mma::bytes_packed(call, packs);
    made.large = mma::request_for(mma::packed(call, packs), sms);
}

// Corpora are kept longer than the kernels that they were measured with.
bool is_still_legal(const measured_plan& plan, const measured_product& of) {
    return plan.of != family::wgmma ||
           plan::is_legal(plan::candidate_of(plan.wgmma, of.wgmma), of.wgmma);
}

// No plan beside it was asked of the GPU: where the engine takes it, its choice is that one.
void add_gemv(measured_product& made, const core::gpu_call& call) {
    if (!cuda::gemv::row().choose(call, {}) || made.chosen.turns.empty()) return;
    const problem& p = call.problem;
    const auto elements =
        static_cast<double>(call.products.count * (p.m * p.k + p.k * p.n + p.m * p.n));
    made.gemv_bytes = elements * static_cast<double>(size_bytes(p.a_type));
    made.plans.push_back({.of = family::gemv,
                          .times = made.chosen,
                          .us = made.chosen.us(),
                          .in_turns = made.chosen.in_turns(),
                          .wgmma = {},
                          .cut = {}});
}

measured_product product_of(const json& d, const rows_then& rows) {
    measured_product made;
    made.kind = d.at("kind");
    const kind& k = kind_called(made.kind);
    const core::gpu_call call = call_of(d, k);
    const problem& p = call.problem;
    const int sms = d.value("sms", sms_of_h200);
    made.sets = d.value("sets", 1);
    made.flop = 2.0 * static_cast<double>(p.m * p.n) * static_cast<double>(p.k) *
                static_cast<double>(call.products.count);
    made.what = made.kind + " " + std::to_string(p.m) + " x " + std::to_string(p.n) + " x " +
                std::to_string(p.k) + " (" + std::to_string(call.products.count) + "), C " +
                std::string(name(p.c_type)) + ", at " + d.at("at").dump() + ", beta " +
                d.at("beta").dump() + ", aligned " + d.at("aligned").dump();
    made.least_side = std::min(p.m, p.n);
    made.is_batch = call.products.count > 1;
    if (core::is_on_tensor_cores(k.how, k.a)) {
        made.wgmma = cuda::wgmma::request_for(cuda::wgmma::as_summed(call, false));
        made.wgmma.sms = sms;
        made.wgmma.asked.stream_k = plan::choice::yes;  // wherever it is possible
    }
    if (cuda::fma::may_multiply(call)) made.fma = cuda::fma::request_for(call, {}, sms);
    add_mma(made, call, k, sms);
    for (json w : d.at("ways")) {
        if (w.at(7).at(0).get<double>() <= 0) continue;  // it couldn't be launched
        const auto row = rows.now(static_cast<family>(w.at(0).get<int>()), w.at(1));
        if (!row) continue;
        w.at(1) = *row;
        const measured_plan one = plan_of(w, made);
        if (one.of == family::chosen)
            made.chosen = one.times;
        else if (is_still_legal(one, made))
            made.plans.push_back(one);
    }
    add_gemv(made, call);
    return made;
}

}  // namespace

double measured_times::us() const {
    return benchmark::median(turns);
}

double measured_times::us_in(std::size_t half) const {
    std::vector<double> some;
    for (std::size_t i = half; i < turns.size(); i += 2) some.push_back(turns[i]);
    return some.empty() ? us() : benchmark::median(some);
}

measured_product product_in(const std::string& line) {
    return product_of(json::parse(line), {});
}

measured_plan plan_in(const std::string& numbers, const measured_product& of) {
    return plan_of(json::parse(numbers), of);
}

void print_kernels() {
    const json told = {{"kernels", {{"wgmma", names_of_wgmma()}, {"fma", names_of_fma()}}}};
    std::printf("%s\n", told.dump().c_str());
}

std::vector<measured_product> read_corpus(const std::vector<std::string>& files) {
    std::vector<measured_product> all;
    for (const std::string& file : files) {
        std::ifstream in(file);
        if (!in) throw std::runtime_error(file + " can't be read");
        rows_then rows;
        for (std::string line; std::getline(in, line);) {
            const json d = json::parse(line, nullptr, false);
            if (d.is_discarded()) continue;
            try {
                if (d.contains("kernels"))
                    rows = {d.at("kernels").at("wgmma"), d.at("kernels").at("fma")};
                else
                    all.push_back(product_of(d, rows));
            } catch (const std::exception& e) {
                throw std::runtime_error(file + " is no corpus: " + e.what());
            }
        }
    }
    return all;
}

double predicted_s(const measured_plan& plan, const measured_product& product,
                   const plan::gpu_costs& costs) {
    if (plan.of == family::gemv) return plan::seconds_of_gemv(product.gemv_bytes, costs.gemv);
    if (plan.of == family::wgmma) return plan::seconds_of(plan.wgmma, product.wgmma, costs);
    if (plan.of == family::mma)
        return plan::seconds_of(product.packed_for_mma, costs.packing) +
               plan::seconds_of(product.kernels_of_mma->tiles[plan.row], plan.splits, product.mma,
                                *product.kernels_of_mma, costs.*product.costs_of_mma);
    if (plan.of == family::lean) return cuda::mma::seconds_of_lean(plan.row, product.mma, costs);
    if (plan.of == family::large) {
        const auto& tile = cuda::mma::multistage_tiles(product.type, product.arithmetic)[plan.row];
        return plan::seconds_of(product.packed_for_large, costs.packing) +
               plan::seconds_of({tile.block_m, tile.block_n, tile.ctas_per_sm}, plan.splits,
                                product.large,
                                plan::large_model_of(product.type, product.arithmetic, costs));
    }
    return plan::seconds_of(cuda::fma::tiles_of(product.fma.type)[plan.row], plan.cut, product.fma,
                            costs);
}

}  // namespace carat::fit
