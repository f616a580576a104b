#include "cuda/families/mma/product.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "core/swap_ab.hpp"
#include "cuda/common/costs.hpp"
#include "cuda/common/device.hpp"
#include "cuda/common/kernel.hpp"
#include "cuda/families/mma/kernel_table.hpp"
#include "cuda/families/mma/kernels.hpp"
#include "cuda/families/mma/launch.hpp"
#include "cuda/families/mma/operand.hpp"
#include "plan/cpu_plan.hpp"
#include "plan/gemm_prediction.hpp"

namespace carat::cuda::mma {

namespace {

// Kernels of f32 and f64 are compiled for operands that lie so, but for A across K and B along it:
// C^T = B^T A^T then.
bool swaps(const core::problem& p) {
    return !is_half(p.a_type) && !a_of(p).lies_along_k() && b_of(p).lies_along_k();
}
gemm_task as_computed(gemm_task task) {
    if (!swaps(task.problem)) return task;
    task.problem = core::swapped(task.problem);
    task.batch = task.batch.swapped();
    std::swap(task.aligned.a, task.aligned.b);
    return task;
}

const kernel& kernel_for(const core::problem& p, arithmetic how, std::size_t row) {
    const bool a = a_of(p).lies_along_k();
    const bool b = b_of(p).lies_along_k();
    if (p.a_type == dtype::f16) return kernel_of_f16(row);
    if (p.a_type == dtype::bf16) return kernel_of_bf16(row);
    if (p.a_type == dtype::f64) return kernel_of_f64(row, a, b);
    return how == arithmetic::tf32 ? kernel_of_tf32(row, a, b) : kernel_of_f32(row, a, b);
}

int sms_in_use() {
    return describe(device_in_use()).multiprocessors;
}

class product final : public gemm_product {
  public:
    product(const gemm_task& given, arithmetic how, std::optional<std::size_t> row)
        : swaps_(swaps(given.problem)) {
        const gemm_task task = as_computed(given);
        problem_ = task.problem;
        count_ = task.batch.count;
        request_ = request_for(given, sms_in_use());
        how_ = how;
        const plan::batch_model model = model_for(problem_, how, costs_in_use());
        const std::size_t chosen = row ? *row : plan::plan_batch_tiles(request_, model).row;
        tile_ = model.tiles[chosen];
        kernel_ = &kernel_for(problem_, how, chosen);
        by_ = {.of = kernel_, .shared_bytes = kernel_->shared_bytes};
        facts_ = load_kernel(kernel_->name, kernel_->function, kernel_->threads,
                             kernel_->shared_bytes, l1_share::least);
    }

    void run(const launch_arguments& with, launch_cache*) const override {
        (void)run_batch(with, {0, 0, 0});
    }

    bool run_batch(const launch_arguments& given, const batch_strides& given_apart) const override {
        launch_arguments with = given;
        batch_strides apart = given_apart;
        if (swaps_) {
            std::swap(with.data.a, with.data.b);
            std::swap(apart.a, apart.b);
        }
        if (problem_.c_type == dtype::f64)
            return launch(by_, arguments_of<double>(problem_, by_, with, apart), count_,
                          with.stream);
        return launch(by_, arguments_of<float>(problem_, by_, with, apart), count_, with.stream);
    }

    bool run_ragged(const ragged_group& all, const launch_arguments& given) const override {
        launch_arguments with = given;
        batch_strides apart = all.apart;
        if (swaps_) {
            std::swap(with.data.a, with.data.b);
            std::swap(apart.a, apart.b);
        }
        if (problem_.c_type == dtype::f64)
            return launch_ragged(by_, arguments_of<double>(problem_, by_, with, apart), all, swaps_,
                                 with.stream);
        return launch_ragged(by_, arguments_of<float>(problem_, by_, with, apart), all, swaps_,
                             with.stream);
    }

    [[nodiscard]] std::vector<core::kernel_facts> kernels() const override { return {facts_}; }
    [[nodiscard]] std::optional<core::gpu_prediction> predicted(
        const core::gpu_rates& here) const override {
        const plan::gpu_costs costs = plan::costs_at(costs_in_use(), here.memory_gb_per_s * 1e9);
        const plan::batch_model model = model_for(problem_, how_, costs);
        const double stored =
            static_cast<double>(problem_.m * problem_.n * count_) * request_.result_bytes;
        return plan::predict({.kind = "in_place", .unit = "CTAs", .stored_bytes = stored},
                             plan::work_of(tile_, request_, model, model.costs),
                             model.costs.sharing, here);
    }
    [[nodiscard]] core::plan_facts planned() const override {
        const std::int64_t tiles = plan::ceil_div(problem_.m, kernel_->block_m) *
                                   plan::ceil_div(problem_.n, kernel_->block_n) * count_;
        core::plan_facts told;
        told.why = "tiles of " + std::to_string(kernel_->block_m) + " x " +
                   std::to_string(kernel_->block_n) + ", read where they lie, " +
                   std::to_string(tiles) + " of them for " + std::to_string(count_) +
                   (count_ == 1 ? " product\n" : " products\n");
        told.rows = problem_.m;
        told.cols = problem_.n;
        return told;
    }

  private:
    bool swaps_;
    core::problem problem_;
    std::int64_t count_ = 1;
    plan::batch_request request_;
    plan::batch_tile tile_{};
    arithmetic how_ = arithmetic::own;
    const kernel* kernel_ = nullptr;
    chosen_kernel by_;
    core::kernel_facts facts_;
};

// CTAs and places of them in 32 bits.
bool counts_tiles_of(const gemm_task& task) {
    constexpr std::int64_t smallest = 32;
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    constexpr std::int64_t largest_tile = 256;
    const core::problem& p = task.problem;
    return std::max({p.m, p.n, p.k}) < most - largest_tile &&
           plan::ceil_div(p.m, smallest) * plan::ceil_div(p.n, smallest) <= most / task.batch.count;
}

}  // namespace

plan::batch_model model_for(const core::problem& p, arithmetic how, const plan::gpu_costs& of) {
    const int bytes = static_cast<int>(size_bytes(p.a_type));
    if (is_half(p.a_type)) return {of.mma_half, half_tiles, bytes, 32};
    if (p.a_type == dtype::f64) return {of.mma_f64, f64_tiles, bytes, 16};
    if (how == arithmetic::tf32) return {of.mma_tf32, tf32_tiles, bytes, 16};
    return {of.mma_f32, f32_tiles, bytes, 16};
}

// Of products whose matrices lie behind each other, 16 bytes apart where they are aligned.
plan::batch_request request_for(const gemm_task& given, int sms) {
    const gemm_task task = as_computed(given);
    const core::problem& p = task.problem;
    const auto likely = [](const operand_shape& of, bool aligned) {
        return together(of, nullptr, aligned ? 0 : of.lines * of.depth);
    };
    return {.m = p.m,
            .n = p.n,
            .k = p.k,
            .batch = task.batch.count,
            .one_a = task.batch.one_a,
            .one_b = task.batch.one_b,
            .result_bytes = static_cast<int>(size_bytes(p.c_type)),
            .together_a = likely(a_of(p), task.aligned.a),
            .together_b = likely(b_of(p), task.aligned.b),
            .c_by_rows = has_contiguous_rows(p),
            .vectorized_c = std::max(p.c_layout.row_stride, p.c_layout.col_stride) *
                                static_cast<std::int64_t>(size_bytes(p.c_type)) % 16 ==
                            0,
            .adds_e = p.beta != 0,
            .sms = sms};
}

bool reads(const gemm_task& task, arithmetic how) {
    const core::problem& p = task.problem;
    const bool has_kernels = is_half(p.a_type) || p.a_type == dtype::f32 || p.a_type == dtype::f64;
    return has_kernels && (how == arithmetic::own || p.a_type == dtype::f32) &&
           p.a_type == p.b_type &&
           (p.c_type == p.a_type || (is_half(p.a_type) && p.c_type == dtype::f32)) &&
           a_of(p).is_readable() && b_of(p).is_readable() && counts_tiles_of(task);
}

bool takes(const gemm_task& task, arithmetic how) {
    const core::problem& p = task.problem;
    return reads(task, how) && task.fusion.changes_no_sum() &&
           (has_contiguous_rows(p) || has_contiguous_columns(p));
}

std::span<const kernel_desc> tiles_for(dtype a_type, arithmetic how) {
    if (is_half(a_type)) return half_kernels;
    if (a_type == dtype::f64) return f64_kernels;
    if (how == arithmetic::tf32) return tf32_kernels;
    return f32_kernels;
}

double predicted_s(const gemm_task& task, arithmetic how, std::size_t row) {
    const plan::batch_model model = model_for(task.problem, how, costs_in_use());
    return plan::seconds_of(model.tiles[row], request_for(task, sms_in_use()), model, model.costs);
}

double predicted_s(const gemm_task& task, arithmetic how) {
    return plan::plan_batch_tiles(request_for(task, sms_in_use()),
                                  model_for(task.problem, how, costs_in_use()))
        .seconds;
}

std::size_t planned_row(const gemm_task& task, arithmetic how) {
    return plan::plan_batch_tiles(request_for(task, sms_in_use()),
                                  model_for(task.problem, how, costs_in_use()))
        .row;
}

std::unique_ptr<const gemm_product> prepare(const gemm_task& task, arithmetic how,
                                            std::optional<std::size_t> row) {
    return std::make_unique<product>(task, how, row);
}

}  // namespace carat::cuda::mma
