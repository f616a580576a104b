#include "cuda/families/mma/product.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "core/swap_ab.hpp"
#include "cuda/common/costs.hpp"
#include "cuda/common/device.hpp"
#include "cuda/common/kernel.hpp"
#include "cuda/common/launch.hpp"
#include "cuda/families/mma/kernel_table.hpp"
#include "cuda/families/mma/kernels.hpp"
#include "plan/cpu_plan.hpp"
#include "plan/gemm_prediction.hpp"

namespace carat::cuda::mma {

namespace {

// A as its rows, B as its columns.
struct operand_shape {
    std::int64_t element_bytes;
    std::int64_t lines;
    std::int64_t depth;
    std::int64_t across;  // elements from one line to the next
    std::int64_t along;   // elements from one depth to the next

    // Of a line of one element, or of one line, any stride will do.
    [[nodiscard]] bool is_contiguous_along_k() const { return along == 1 || depth == 1; }
    [[nodiscard]] bool is_contiguous_across_k() const { return across == 1 || lines == 1; }
    [[nodiscard]] bool lies_along_k() const {
        return is_contiguous_along_k() && !(is_contiguous_across_k() && depth == 1);
    }
    [[nodiscard]] std::int64_t run_stride() const {
        if (lies_along_k()) return lines == 1 ? 0 : across;
        return depth == 1 ? 0 : along;
    }
    // Places in a tile are counted in 32 bits.
    [[nodiscard]] bool is_readable() const {
        constexpr std::int64_t most = 1 << 23;
        return (is_contiguous_along_k() || is_contiguous_across_k()) && run_stride() < most &&
               run_stride() > -most;
    }
};

std::int64_t bytes_of_element(const core::problem& p) {
    return static_cast<std::int64_t>(size_bytes(p.a_type));
}
operand_shape a_of(const core::problem& p) {
    return {bytes_of_element(p), p.m, p.k, p.a_layout.row_stride, p.a_layout.col_stride};
}
operand_shape b_of(const core::problem& p) {
    return {bytes_of_element(p), p.n, p.k, p.b_layout.col_stride, p.b_layout.row_stride};
}

// Elements of which runs begin at multiples: those of 16 bytes, or, of 16-bit ones, fewer.
int together(const operand_shape& of, const void* data, std::int64_t product_stride) {
    const auto address = reinterpret_cast<std::uintptr_t>(data);
    const std::int64_t most = 16 / of.element_bytes;
    for (std::int64_t count = most; count > (of.element_bytes == 2 ? 1 : most / 2); count /= 2)
        if (address % static_cast<std::uintptr_t>(count * of.element_bytes) == 0 &&
            of.run_stride() % count == 0 && product_stride % count == 0)
            return static_cast<int>(count);
    return 1;
}

operand_view view_of(const operand_shape& of, const void* data, std::int64_t apart) {
    return {.data = data,
            .run_stride = of.run_stride(),
            .product_stride = apart,
            .along_k = of.lies_along_k(),
            .together = together(of, data, apart)};
}

bool has_contiguous_columns(const core::problem& p) {
    return p.c_layout.row_stride == 1 || p.m == 1;
}
bool has_contiguous_rows(const core::problem& p) {
    return p.c_layout.col_stride == 1 || p.n == 1;
}

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
            return launch(arguments_for<double>(with, apart), count_, with.stream);
        return launch(arguments_for<float>(with, apart), count_, with.stream);
    }

    bool run_ragged(const ragged_group& all, const launch_arguments& given) const override {
        launch_arguments with = given;
        batch_strides apart = all.apart;
        if (swaps_) {
            std::swap(with.data.a, with.data.b);
            std::swap(apart.a, apart.b);
        }
        if (problem_.c_type == dtype::f64)
            return launch_ragged(all, arguments_for<double>(with, apart), with.stream);
        return launch_ragged(all, arguments_for<float>(with, apart), with.stream);
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
    // False: a grid has no such number of tiles.
    template <class Sum>
    [[nodiscard]] bool launch_ragged(const ragged_group& all, arguments<Sum> told,
                                     cudaStream_t stream) const {
        told.ragged = all.ends;
        told.shared_out = all.along_k ? ragged_dimension::k
                          : swaps_    ? ragged_dimension::n
                                      : ragged_dimension::m;
        // What begins in the middle of neighbours begins anywhere.
        const auto part = [](operand_view& x) { x.together = 1; };
        if (all.along_k) {
            if (told.a.along_k) part(told.a);
            if (told.b.along_k) part(told.b);
            return launch(told, all.ends.count, stream);
        }
        operand_view& shared_out = swaps_ ? told.b : told.a;
        if (!shared_out.along_k) part(shared_out);
        if ((swaps_ ? told.col_stride : told.row_stride) == 1) told.is_vectorized = false;
        const std::int64_t across = swaps_ ? problem_.m : problem_.n;
        const int block_across = swaps_ ? kernel_->block_m : kernel_->block_n;
        const int block_lines = swaps_ ? kernel_->block_n : kernel_->block_m;
        told.tiles = static_cast<int>(plan::ceil_div(across, block_across));
        return launch(told, most_blocks(all.ends, block_lines), stream);
    }

    template <class Sum>
    bool launch(arguments<Sum> told, std::int64_t count, cudaStream_t stream) const {
        if (told.tiles * count > std::numeric_limits<std::int32_t>::max()) return false;
        void* addresses[] = {&told};
        launch_closely(kernel_->function,
                       {dim3(static_cast<unsigned>(told.tiles * count)),
                        static_cast<unsigned>(kernel_->threads),
                        static_cast<std::size_t>(kernel_->shared_bytes)},
                       stream, addresses);
        return true;
    }

    template <class Sum>
    [[nodiscard]] arguments<Sum> arguments_for(const launch_arguments& with,
                                               const batch_strides& apart) const {
        const core::problem& p = problem_;
        const void* const residual = with.fusion.residual;
        const void* const source = residual == nullptr ? with.data.c : residual;
        const core::layout& at = p.c_layout;
        const bool by_rows = has_contiguous_rows(p);
        const std::int64_t run_stride =
            by_rows ? (p.m == 1 ? 0 : at.row_stride) : (p.n == 1 ? 0 : at.col_stride);
        const auto bytes = static_cast<std::int64_t>(size_bytes(p.c_type));
        return {.a = view_of(a_of(p), with.data.a, apart.a),
                .b = view_of(b_of(p), with.data.b, apart.b),
                .c = with.data.c,
                .source = source,
                .row_stride = by_rows ? run_stride : 1,
                .col_stride = by_rows ? 1 : run_stride,
                .product_stride = apart.c,
                .is_f32 = p.c_type == dtype::f32,
                .is_vectorized = is_aligned(with.data.c) && is_aligned(source) &&
                                 run_stride * bytes % 16 == 0 && apart.c * bytes % 16 == 0,
                .m = static_cast<int>(p.m),
                .n = static_cast<int>(p.n),
                .k = static_cast<int>(p.k),
                .tiles_m = static_cast<int>(plan::ceil_div(p.m, kernel_->block_m)),
                .tiles = static_cast<int>(plan::ceil_div(p.m, kernel_->block_m) *
                                          plan::ceil_div(p.n, kernel_->block_n)),
                .shared_out = ragged_dimension::none,
                .ragged = {},
                .alpha = static_cast<Sum>(p.alpha),
                .beta = static_cast<Sum>(p.beta)};
    }

    bool swaps_;
    core::problem problem_;
    std::int64_t count_ = 1;
    plan::batch_request request_;
    plan::batch_tile tile_{};
    arithmetic how_ = arithmetic::own;
    const kernel* kernel_ = nullptr;
    core::kernel_facts facts_;
};

// CTAs and places of them in 32 bits.
bool counts_tiles_of(const gemm_task& task) {
    constexpr std::int64_t smallest = 32;
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    const core::problem& p = task.problem;
    return std::max({p.m, p.n, p.k}) < most / 2 &&
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

bool takes(const gemm_task& task, arithmetic how) {
    const core::problem& p = task.problem;
    const bool has_kernels = is_half(p.a_type) || p.a_type == dtype::f32 || p.a_type == dtype::f64;
    return has_kernels && (how == arithmetic::own || p.a_type == dtype::f32) &&
           p.a_type == p.b_type &&
           (p.c_type == p.a_type || (is_half(p.a_type) && p.c_type == dtype::f32)) &&
           task.fusion.changes_no_sum() && a_of(p).is_readable() && b_of(p).is_readable() &&
           (has_contiguous_rows(p) || has_contiguous_columns(p)) && counts_tiles_of(task);
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
