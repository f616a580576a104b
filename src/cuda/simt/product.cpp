#include "cuda/simt/product.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "core/swap_ab.hpp"
#include "cuda/common/device.hpp"
#include "cuda/common/kernel.hpp"
#include "cuda/simt/kernels.hpp"
#include "cuda/simt/operand.hpp"
#include "plan/cpu_plan.hpp"
#include "plan/simt_plan.hpp"

namespace carat::cuda::simt {

namespace {

// The kernels write C along its rows.
bool has_columns_closer(const core::problem& p) {
    return p.c_layout.row_stride < p.c_layout.col_stride;
}

template <class T>
std::span<const kernel<T>> kernels_for(const plan::simt_plan& plan, const operand& a,
                                       const operand& b) {
    if constexpr (sizeof(T) == 8)
        return f64_kernels(a.contiguous(), b.contiguous());
    else
        return f32_kernels(plan.is_small(), a.contiguous());
}

plan::simt_request request_for(const core::problem& p, const overrides& asked) {
    return {.m = p.m,
            .n = p.n,
            .k = p.k,
            .element_bytes = static_cast<int>(size_bytes(p.c_type)),
            .sms = describe(device_in_use()).multiprocessors,
            .block_m = asked.block_m,
            .block_n = asked.block_n,
            .split_k = asked.split_k};
}

// As the kernel computes it.
core::problem by_rows(const core::problem& p) {
    return has_columns_closer(p) ? core::swapped(p) : p;
}

template <class T>
class product final : public gemm_product {
  public:
    product(const core::problem& p, const overrides& asked, const operand_alignment& aligned)
        : swap_ab_(has_columns_closer(p)),
          problem_(by_rows(p)),
          sms_(describe(device_in_use()).multiprocessors),
          plan_(plan::make_simt_plan(request_for(problem_, asked)).value()),
          a_({problem_.a_type, problem_.m, problem_.k, problem_.a_layout.row_stride,
              problem_.a_layout.col_stride},
             sizeof(T) == 8 || plan_.is_small(), swap_ab_ ? aligned.b : aligned.a),
          b_({problem_.b_type, problem_.n, problem_.k, problem_.b_layout.col_stride,
              problem_.b_layout.row_stride},
             sizeof(T) == 8, swap_ab_ ? aligned.a : aligned.b) {
        choose();
    }

    void run(const launch_arguments& with, launch_cache*) const override {
        core::operands data = with.data;
        if (swap_ab_) std::swap(data.a, data.b);
        const kernel<T>& k = *kernel_;
        const CUtensorMap a = a_.map(data.a, k.block_m, k.block_k, with.stream);
        const CUtensorMap b = b_.map(data.b, k.block_n, k.block_k, with.stream);
        k.launch(a, b, arguments_for(data.c), shape_, with.stream);
    }

    [[nodiscard]] std::vector<core::kernel_facts> kernels() const override { return {facts_}; }

  private:
    void choose() {
        const auto fits = [&](const kernel<T>& k) {
            return k.block_m == plan_.block_m && k.block_n == plan_.block_n;
        };
        kernel_ = &*std::ranges::find_if(kernels_for<T>(plan_, a_, b_), fits);
        const kernel<T>& k = *kernel_;
        tiles_m_ = plan::ceil_div(problem_.m, k.block_m);
        tiles_n_ = plan::ceil_div(problem_.n, k.block_n);
        shape_.cluster = plan_.split_k;
        const std::int64_t tiles = tiles_m_ * tiles_n_;
        const std::int64_t resident = std::int64_t{sms_} * k.ctas_per_sm;
        shape_.ctas = static_cast<int>(plan_.split_k == 1 ? std::min(tiles, resident)
                                                          : tiles * plan_.split_k);
        // CTAs of a cluster would rather meet on one SM than take one each.
        constexpr int too_much_for_two = 120 * 1024;
        shape_.shared_bytes = k.shared_bytes;
        if (shape_.ctas <= sms_)
            shape_.shared_bytes = std::max(shape_.shared_bytes, too_much_for_two);
        facts_ = load_kernel(k.name, k.function, k.threads, shape_.shared_bytes);
        make_room();
    }

    // Where shared memory is shared out differently, kernels can't follow each other closely.
    void make_room() const {
        CARAT_CUDA_CHECK(cudaFuncSetAttribute(kernel_->function,
                                              cudaFuncAttributePreferredSharedMemoryCarveout,
                                              cudaSharedmemCarveoutMaxShared));
    }

    [[nodiscard]] arguments<T> arguments_for(void* c) const {
        const core::problem& p = problem_;
        const kernel<T>& k = *kernel_;
        const core::layout& at = p.c_layout;
        const auto bytes = static_cast<std::int64_t>(sizeof(T));
        return {.c = static_cast<T*>(c),
                .row_stride = at.row_stride,
                .col_stride = at.col_stride,
                .is_vectorized = at.col_stride == 1 && is_aligned(c) &&
                                 (p.m == 1 || at.row_stride * bytes % 16 == 0),
                .m = static_cast<int>(p.m),
                .n = static_cast<int>(p.n),
                .k_tiles = static_cast<int>(plan::ceil_div(p.k, k.block_k)),
                .tiles_m = static_cast<int>(tiles_m_),
                .tiles_n = static_cast<int>(tiles_n_),
                .log2_split_k = std::countr_zero(static_cast<unsigned>(plan_.split_k)),
                .alpha = static_cast<T>(p.alpha),
                .beta = static_cast<T>(p.beta)};
    }

    bool swap_ab_;
    core::problem problem_;
    int sms_;
    plan::simt_plan plan_;
    operand a_;
    operand b_;
    const kernel<T>* kernel_ = nullptr;
    core::kernel_facts facts_;
    launch_shape shape_{};
    std::int64_t tiles_m_ = 0;
    std::int64_t tiles_n_ = 0;
};

}  // namespace

std::string reason_against(const core::problem& p, const overrides& asked) {
    return plan::reason_against(request_for(by_rows(p), asked));
}

std::unique_ptr<const gemm_product> prepare(const core::problem& p, const overrides& asked,
                                            const operand_alignment& aligned) {
    if (p.c_type == dtype::f64) return std::make_unique<product<double>>(p, asked, aligned);
    return std::make_unique<product<float>>(p, asked, aligned);
}

}  // namespace carat::cuda::simt
