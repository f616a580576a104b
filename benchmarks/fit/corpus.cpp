#include "benchmarks/fit/corpus.hpp"

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <utility>

#include "core/swap_ab.hpp"
#include "cuda/engine/arithmetic.hpp"
#include "cuda/families/fma/kernel_table.hpp"
#include "cuda/families/fma/operand.hpp"
#include "cuda/families/mma/costs.hpp"
#include "cuda/families/mma/kernel_table.hpp"
#include "cuda/families/mma/product.hpp"
#include "cuda/families/wgmma/host/gemm.hpp"
#include "cuda/families/wgmma/host/operand.hpp"
#include "cuda/families/wgmma/host/request.hpp"
#include "cuda/families/wgmma/kernel_table.hpp"

namespace carat::fit {

namespace {

using core::problem;
using cuda::batch_shape;
using cuda::operand_alignment;
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

constexpr int sms_of_h200 = 132;

dtype type_called(const std::string& text) {
    for (const dtype t : {dtype::bf16, dtype::f16, dtype::f32, dtype::f64, dtype::i32})
        if (name(t) == text) return t;
    throw std::runtime_error("no C has the type " + text);
}

cuda::gemm_task task_of(const json& d, const kind& k) {
    cuda::gemm_task task;
    problem& p = task.problem;
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
    task.batch = {batch.at(0), batch.at(1).get<int>() != 0, batch.at(2).get<int>() != 0};
    const json& aligned = d.at("aligned");
    task.aligned = {aligned.at(0).get<int>() != 0, aligned.at(1).get<int>() != 0};
    return task;
}

// How wgmma's kernels read A, or B as A of the swapped product.
packed_first wgmma_packing(const cuda::wgmma::operand_shape& of, core::operand_major read_as,
                           bool is_aligned, std::int64_t matrices) {
    if (is_aligned && cuda::wgmma::readable_along(of) == read_as) return {};
    const double copies = of.is_split ? 3 : 2;  // big and small parts are written
    const double bytes =
        copies * static_cast<double>(core::bytes_of(of.type, of.lines * of.depth * matrices));
    const bool in_lines = (read_as == core::operand_major::k ? of.along : of.across) == 1;
    return in_lines ? packed_first{bytes, 0} : packed_first{0, bytes};
}

wgmma_problem wgmma_of(const cuda::gemm_task& task, core::accumulation sums, int sms) {
    const problem& p = task.problem;
    wgmma_problem made{.of = cuda::wgmma::request_for(p, sums),
                       .one_a = task.batch.one_a,
                       .one_b = task.batch.one_b,
                       .packing = {}};
    made.of.batch = task.batch.count;
    made.of.sms = sms;
    const packed_first a = wgmma_packing(cuda::wgmma::shape_of_a(p, sums), made.of.a_major,
                                         task.aligned.a, task.batch.matrices_a());
    const packed_first b = wgmma_packing(cuda::wgmma::shape_of_a(core::swapped(p), sums),
                                         made.of.b_major, task.aligned.b, task.batch.matrices_b());
    made.packing = {a.lines + b.lines, a.columns + b.columns};
    return made;
}

cuda::gemm_task swapped_if(bool swap, cuda::gemm_task task) {
    if (!swap) return task;
    task.problem = core::swapped(task.problem);
    task.batch = task.batch.swapped();
    std::swap(task.aligned.a, task.aligned.b);
    return task;
}

// fma's kernels write C along its rows.
fma_problem fma_of(const cuda::gemm_task& given, int sms) {
    const auto& lies = given.problem.c_layout;
    const cuda::gemm_task task = swapped_if(lies.row_stride < lies.col_stride, given);
    const problem& p = task.problem;
    fma_problem made{
        .of = {.m = p.m,
               .n = p.n,
               .k = p.k,
               .batch = task.batch.count,
               .type = p.c_type,
               .c_on_16_bytes = core::bytes_of(p.c_type, p.c_layout.row_stride) % 16 == 0,
               .sms = sms},
        .adds_e = p.beta != 0,
        .one_a = task.batch.one_a,
        .one_b = task.batch.one_b,
        .packing = {}};
    const auto add = [&](const cuda::fma::operand_shape& of, bool aligned, std::int64_t matrices) {
        const double bytes =
            2.0 * static_cast<double>(core::bytes_of(of.type, of.lines * of.depth * matrices));
        const auto read = cuda::fma::readable_as(of, true, aligned);
        if (!read) (of.along == 1 ? made.packing.columns : made.packing.lines) += bytes;
        if (read == core::operand_major::k) made.along_k_bytes += bytes;
    };
    add({p.a_type, p.m, p.k, p.a_layout.row_stride, p.a_layout.col_stride}, task.aligned.a,
        task.batch.matrices_a());
    add({p.b_type, p.n, p.k, p.b_layout.col_stride, p.b_layout.row_stride}, task.aligned.b,
        task.batch.matrices_b());
    return made;
}

// An operand as mma's kernels read it: A as its rows, B as its columns.
struct run_of_elements {
    std::int64_t lines, depth, across, along;

    [[nodiscard]] bool lies_along_k() const {
        const bool contiguous_across = across == 1 || lines == 1;
        return (along == 1 || depth == 1) && !(contiguous_across && depth == 1);
    }
    // Elements of which runs begin at multiples: those of 16 bytes or, of 16-bit ones, fewer.
    // Matrices that aren't aligned lie right behind each other.
    [[nodiscard]] int together(std::int64_t element_bytes, bool is_aligned) const {
        const std::int64_t alone = lies_along_k() ? lines : depth;
        const std::int64_t run = alone == 1 ? 0 : lies_along_k() ? across : along;
        const std::int64_t matrix = is_aligned ? 0 : lines * depth;
        const std::int64_t most = 16 / element_bytes;
        for (std::int64_t count = most; count > (element_bytes == 2 ? 1 : most / 2); count /= 2)
            if (run % count == 0 && matrix % count == 0) return static_cast<int>(count);
        return 1;
    }
};
run_of_elements run_of_a(const problem& p) {
    return {p.m, p.k, p.a_layout.row_stride, p.a_layout.col_stride};
}
run_of_elements run_of_b(const problem& p) {
    return {p.n, p.k, p.b_layout.col_stride, p.b_layout.row_stride};
}

struct kernels_of_mma {
    mma_costs gpu_costs::*costs;
    const plan::batch_costs& steps;  // only the size of one
    std::span<const plan::batch_tile> tiles;
};
kernels_of_mma mma_kernels_for(const kind& k) {
    using namespace cuda::mma;
    if (is_half(k.a)) return {&gpu_costs::mma_half, half_costs, half_tiles};
    if (k.a == dtype::f64) return {&gpu_costs::mma_f64, f64_costs, f64_tiles};
    if (k.how == fit::arithmetic::tf32) return {&gpu_costs::mma_tf32, tf32_costs, tf32_tiles};
    return {&gpu_costs::mma_f32, f32_costs, f32_tiles};
}

// Kernels of f32 and f64 have no way to read A across K and B along it: C^T = B^T A^T then.
mma_problem mma_of(const cuda::gemm_task& given, const plan::batch_costs& steps, int sms) {
    const bool swap = !is_half(given.problem.a_type) && !run_of_a(given.problem).lies_along_k() &&
                      run_of_b(given.problem).lies_along_k();
    const cuda::gemm_task task = swapped_if(swap, given);
    const problem& p = task.problem;
    const auto bytes = static_cast<std::int64_t>(size_bytes(p.a_type));
    const std::int64_t c_stride = std::max(p.c_layout.row_stride, p.c_layout.col_stride);
    return {.of = {.m = p.m,
                   .n = p.n,
                   .k = p.k,
                   .batch = task.batch.count,
                   .one_a = task.batch.one_a,
                   .one_b = task.batch.one_b,
                   .result_bytes = static_cast<int>(size_bytes(p.c_type)),
                   .together_a = run_of_a(p).together(bytes, task.aligned.a),
                   .together_b = run_of_b(p).together(bytes, task.aligned.b),
                   .vectorized_c = core::bytes_of(p.c_type, c_stride) % 16 == 0,
                   .sms = sms},
            .adds_e = p.beta != 0,
            .element_bytes = steps.element_bytes,
            .block_k = steps.block_k};
}

measured_plan plan_of(const json& w, const measured_product& of) {
    measured_plan plan{.of = static_cast<family>(w.at(0).get<int>()),
                       .us = w.at(7),
                       .in_turns = w.at(8).get<int>() >= 3,
                       .wgmma = {},
                       .row = w.at(1),
                       .cut = {}};
    if (plan.of == family::wgmma) {
        if (plan.row >= cuda::wgmma::kernel_table.size())
            throw std::runtime_error("there is no kernel " + std::to_string(plan.row));
        plan.wgmma = {.kernel = &cuda::wgmma::kernel_table[plan.row],
                      .swap_ab = w.at(2).get<int>() != 0,
                      .split_k = w.at(3),
                      .cluster_m = w.at(4),
                      .cluster_n = w.at(5),
                      .ctas_per_sm = w.at(6)};
        const core::kernel_desc& k = *plan.wgmma.kernel;
        // What is planned without enough stages has its SM to itself.
        if (stages_that_fit(k, plan.wgmma.split_k, plan.wgmma.ctas_per_sm) <
            cuda::wgmma::fewest_stages(k.accumulate))
            plan.wgmma.ctas_per_sm = 1;
    }
    if (plan.of == family::fma) {
        plan.cut = {w.at(4), w.at(3)};
        const auto first = std::ranges::find(cuda::fma::kernel_table, of.fma.of.type,
                                             &cuda::fma::kernel_desc::type);
        plan.row -= static_cast<std::size_t>(first - cuda::fma::kernel_table.begin());
        if (plan.row >= cuda::fma::tiles_of(of.fma.of.type).size())
            throw std::runtime_error("no tile of fma is that of a plan");
    }
    if (plan.of == family::mma && plan.row >= of.tiles_of_mma.size())
        throw std::runtime_error("no tile of mma is that of a plan");
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

measured_product product_of(const json& d) {
    measured_product made;
    made.kind = d.at("kind");
    const kind& k = kinds.at(made.kind);
    const cuda::gemm_task task = task_of(d, k);
    const problem& p = task.problem;
    const int sms = d.value("sms", sms_of_h200);
    made.flop = 2.0 * static_cast<double>(p.m * p.n) * static_cast<double>(p.k) *
                static_cast<double>(task.batch.count);
    made.least_side = std::min(p.m, p.n);
    made.is_batch = task.batch.count > 1;
    if (cuda::engine::is_on_tensor_cores(k.how, k.a)) {
        core::accumulation sums = cuda::engine::accumulation_for(k.how, k.a);
        if (sums == core::accumulation::promoted && core::bytes_of(k.a, p.k) <= 128)
            sums = core::accumulation::native;
        made.wgmma = wgmma_of(task, sums, sms);
    } else {
        made.fma = fma_of(task, sms);
    }
    const auto how =
        k.how == arithmetic::tf32 ? cuda::mma::arithmetic::tf32 : cuda::mma::arithmetic::own;
    if (cuda::mma::takes(task, how)) {
        const kernels_of_mma kernels = mma_kernels_for(k);
        made.mma = mma_of(task, kernels.steps, sms);
        made.costs_of_mma = kernels.costs;
        made.tiles_of_mma = kernels.tiles;
    }
    for (const json& w : d.at("ways")) {
        if (w.at(7).get<double>() <= 0) continue;  // it couldn't be launched
        const measured_plan one = plan_of(w, made);
        if (one.of == family::chosen)
            made.chosen_us = one.us;
        else
            made.plans.push_back(one);
    }
    leave_out_disturbed(made.plans);
    return made;
}

// fp8 kernels don't store f16, so such products were measured by something else.
bool is_fp8_into_f16(const json& d) {
    return d.at("c") == "f16" && is_fp8(kinds.at(d.at("kind")).a);
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
            try {
                if (!is_fp8_into_f16(d)) all.push_back(product_of(d));
            } catch (const std::exception& e) {
                throw std::runtime_error(file + " is no corpus: " + e.what());
            }
        }
    }
    return all;
}

double predicted_s(const measured_plan& plan, const measured_product& product,
                   const gpu_costs& costs) {
    if (plan.of == family::wgmma)
        return time_of(work_of(plan.wgmma, product.wgmma, costs), costs.wgmma.sharing());
    if (plan.of == family::mma) {
        const mma_costs& own = costs.*product.costs_of_mma;
        return time_of(work_of(product.tiles_of_mma[plan.row], product.mma, own), own.sharing());
    }
    const dtype type = product.fma.of.type;
    return time_of(work_of(cuda::fma::tiles_of(type)[plan.row], plan.cut, product.fma, costs),
                   fma_costs_of(type, costs).sharing());
}

}  // namespace carat::fit
