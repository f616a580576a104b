#include "cuda/simt/product.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "core/swap_ab.hpp"
#include "cuda/common/device.hpp"
#include "cuda/common/kernel.hpp"
#include "cuda/common/prefer_shared_memory.hpp"
#include "cuda/simt/kernels.hpp"
#include "cuda/simt/operand.hpp"
#include "plan/cpu_plan.hpp"
#include "plan/gemm_prediction.hpp"
#include "plan/simt_plan.hpp"

namespace carat::cuda::simt {

namespace {

// The kernels write C along its rows.
bool has_columns_closer(const core::problem& p) {
    return p.c_layout.row_stride < p.c_layout.col_stride;
}

plan::simt_request request_for(const core::problem& p, const overrides& asked,
                               std::int64_t batch = 1) {
    return {.m = p.m,
            .n = p.n,
            .k = p.k,
            .batch = batch,
            .type = p.c_type,
            .c_on_16_bytes = core::bytes_of(p.c_type, p.c_layout.row_stride) % 16 == 0,
            .sms = describe(device_in_use()).multiprocessors,
            .block_m = asked.block_m,
            .block_n = asked.block_n,
            .split_k = asked.split_k};
}

// As the kernel computes it.
core::problem by_rows(const core::problem& p) {
    return has_columns_closer(p) ? core::swapped(p) : p;
}

operand_shape shape_of_a(const core::problem& p) {
    return {p.a_type, p.m, p.k, p.a_layout.row_stride, p.a_layout.col_stride};
}
operand_shape shape_of_b(const core::problem& p) {
    return {p.b_type, p.n, p.k, p.b_layout.col_stride, p.b_layout.row_stride};
}

// Lines are read and written.
double packing_bytes(const core::problem& p, std::int64_t lines) {
    return 2.0 * static_cast<double>(core::bytes_of(p.c_type, lines * p.k));
}

template <class T>
class product final : public gemm_product {
  public:
    product(const gemm_task& task, const overrides& asked)
        : swap_ab_(has_columns_closer(task.problem)),
          problem_(by_rows(task.problem)),
          batch_(swap_ab_ ? task.batch.swapped() : task.batch),
          sms_(describe(device_in_use()).multiprocessors),
          plan_(plan::make_simt_plan(request_for(problem_, asked, batch_.count),
                                     tiles_of(problem_.c_type))
                    .value()),
          row_(row_with(problem_.c_type, plan_.block_m, plan_.block_n)),
          a_(shape_of_a(problem_), kernel_table[row_].reads(operand_major::k, operand_major::mn),
             swap_ab_ ? task.aligned.b : task.aligned.a, batch_.matrices_a()),
          b_(shape_of_b(problem_), kernel_table[row_].reads(operand_major::mn, operand_major::k),
             swap_ab_ ? task.aligned.a : task.aligned.b, batch_.matrices_b()) {
        choose();
    }

    void run(const launch_arguments& with, launch_cache*) const override {
        (void)run_batch(with, {0, 0, 0});
    }

    bool run_batch(const launch_arguments& with, const batch_strides& given) const override {
        core::operands data = with.data;
        batch_strides apart = given;
        if (swap_ab_) {
            std::swap(data.a, data.b);
            std::swap(apart.a, apart.b);
        }
        const kernel<T>& k = *kernel_;
        pack_both(data, apart, with.stream);
        const CUtensorMap a = a_.map(data.a, apart.a, k.block_m, k.block_k);
        const CUtensorMap b = b_.map(data.b, apart.b, k.block_n, k.block_k);
        const void* const residual = with.fusion.residual;
        k.launch(a, b, arguments_for(data.c, residual == nullptr ? data.c : residual, apart.c),
                 shape_, with.stream);
        return true;
    }

    [[nodiscard]] std::vector<core::kernel_facts> kernels() const override { return {facts_}; }
    [[nodiscard]] std::optional<core::gpu_prediction> predicted(
        const core::gpu_rates& here) const override {
        plan::packed_first packing;
        if (a_.packed()) packing.bytes += packing_bytes(problem_, problem_.m * batch_.matrices_a());
        if (b_.packed()) packing.bytes += packing_bytes(problem_, problem_.n * batch_.matrices_b());
        return plan::predict(plan_, request_for(problem_, {}, batch_.count),
                             kernel_table[row_].tile(), packing, here);
    }

  private:
    // Those that have to be, in one launch.
    void pack_both(const core::operands& data, const batch_strides& apart,
                   cudaStream_t stream) const {
        packing all[2];
        std::size_t count = 0;
        if (a_.packed()) all[count++] = a_.packing_of(data.a, apart.a);
        if (b_.packed()) all[count++] = b_.packing_of(data.b, apart.b);
        if (count > 0) pack({all, count}, stream);
    }

    void choose() {
        kernel_ = &kernel_of<T>(row_, a_.contiguous(), b_.contiguous());
        const kernel<T>& k = *kernel_;
        tiles_m_ = plan::ceil_div(problem_.m, k.block_m);
        tiles_n_ = plan::ceil_div(problem_.n, k.block_n);
        shape_.cluster = plan_.split_k;
        const std::int64_t tiles = tiles_m_ * tiles_n_ * batch_.count;
        const std::int64_t resident = std::int64_t{sms_} * k.ctas_per_sm;
        shape_.ctas = static_cast<int>(plan_.split_k == 1 ? std::min(tiles, resident)
                                                          : tiles * plan_.split_k);
        // CTAs of a cluster would rather meet on one SM than take one each.
        constexpr int too_much_for_two = 120 * 1024;
        shape_.shared_bytes = k.shared_bytes;
        if (shape_.ctas <= sms_)
            shape_.shared_bytes = std::max(shape_.shared_bytes, too_much_for_two);
        facts_ = load_kernel(k.name, k.function, k.threads, shape_.shared_bytes);
        prefer_shared_memory(kernel_->function);
    }

    [[nodiscard]] arguments<T> arguments_for(void* c, const void* source,
                                             std::int64_t apart) const {
        const core::problem& p = problem_;
        const kernel<T>& k = *kernel_;
        const core::layout& at = p.c_layout;
        const auto bytes = static_cast<std::int64_t>(sizeof(T));
        return {.c = static_cast<T*>(c),
                .source = static_cast<const T*>(source),
                .row_stride = at.row_stride,
                .col_stride = at.col_stride,
                .product_stride = apart,
                .is_vectorized = at.col_stride == 1 && is_aligned(c) && is_aligned(source) &&
                                 apart * bytes % 16 == 0 &&
                                 (p.m == 1 || at.row_stride * bytes % 16 == 0),
                .one_a = batch_.one_a,
                .one_b = batch_.one_b,
                .m = static_cast<int>(p.m),
                .n = static_cast<int>(p.n),
                .k_tiles = static_cast<int>(plan::ceil_div(p.k, k.block_k)),
                .tiles_m = static_cast<int>(tiles_m_),
                .tiles_n = static_cast<int>(tiles_n_),
                .tiles = static_cast<int>(tiles_m_ * tiles_n_ * batch_.count),
                .log2_split_k = std::countr_zero(static_cast<unsigned>(plan_.split_k)),
                .alpha = static_cast<T>(p.alpha),
                .beta = static_cast<T>(p.beta)};
    }

    bool swap_ab_;
    core::problem problem_;
    batch_shape batch_;
    int sms_;
    plan::simt_plan plan_;
    std::size_t row_;  // of the table
    operand a_;
    operand b_;
    const kernel<T>* kernel_ = nullptr;
    core::kernel_facts facts_;
    launch_shape shape_{};
    std::int64_t tiles_m_ = 0;
    std::int64_t tiles_n_ = 0;
};

// In 32 bits, with a split of K for each of eight CTAs. One product does.
bool counts_tiles_of(const gemm_task& task) {
    constexpr std::int64_t smallest = 32;
    constexpr std::int64_t most = std::int64_t{1} << 27;
    const core::problem& p = task.problem;
    return task.batch.count == 1 ||
           plan::ceil_div(p.m, smallest) * plan::ceil_div(p.n, smallest) <= most / task.batch.count;
}

}  // namespace

std::string reason_against(const core::problem& p, const overrides& asked) {
    return plan::reason_against(request_for(by_rows(p), asked), tiles_of(p.c_type));
}

double predicted_s(const gemm_task& task, double memory_bytes_per_s) {
    const core::problem p = by_rows(task.problem);
    const bool swap = has_columns_closer(task.problem);
    const batch_shape batch = swap ? task.batch.swapped() : task.batch;
    const plan::simt_request of = request_for(p, {}, batch.count);
    const plan::simt_plan plan = plan::make_simt_plan(of, tiles_of(p.c_type)).value();
    const kernel_desc& k = kernel_table[row_with(p.c_type, plan.block_m, plan.block_n)];
    const bool along_a = k.reads(operand_major::k, operand_major::mn);
    const bool along_b = k.reads(operand_major::mn, operand_major::k);
    plan::packed_first packing;
    if (!readable_as(shape_of_a(p), along_a, swap ? task.aligned.b : task.aligned.a))
        packing.bytes += packing_bytes(p, p.m * batch.matrices_a());
    if (!readable_as(shape_of_b(p), along_b, swap ? task.aligned.a : task.aligned.b))
        packing.bytes += packing_bytes(p, p.n * batch.matrices_b());
    return plan::predict(plan, of, k.tile(), packing,
                         {plan::simt_unit_gflops, memory_bytes_per_s * 1e-9})
        .value()
        .time_s;
}

std::unique_ptr<const gemm_product> prepare(const gemm_task& task, const overrides& asked) {
    if (!counts_tiles_of(task)) return nullptr;
    if (task.problem.c_type == dtype::f64) return std::make_unique<product<double>>(task, asked);
    return std::make_unique<product<float>>(task, asked);
}

}  // namespace carat::cuda::simt
