#include "cuda/strict/product.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "core/turn.hpp"
#include "cuda/common/device.hpp"
#include "cuda/common/kernel.hpp"
#include "cuda/strict/kernels.hpp"
#include "cuda/strict/operand.hpp"
#include "plan/cpu_plan.hpp"
#include "plan/strict_plan.hpp"

namespace carat::cuda::strict {

namespace {

bool is_aligned(const void* data) {
    return reinterpret_cast<std::uintptr_t>(data) % 16 == 0;
}

// The kernels write C along its rows.
bool has_columns_closer(const core::problem& p) {
    return p.c_layout.row_stride < p.c_layout.col_stride;
}

template <class T>
std::span<const kernel<T>> kernels_for(const plan::strict_plan& plan, const operand& a,
                                       const operand& b) {
    if constexpr (sizeof(T) == 8)
        return f64_kernels(a.contiguous(), b.contiguous());
    else
        return f32_kernels(plan.is_small(), a.contiguous());
}

template <class T>
class product final : public core::runnable {
  public:
    product(const core::problem& p, const wishes& how)
        : turned_(has_columns_closer(p)),
          problem_(turned_ ? core::swapped(p) : p),
          multiprocessors_(cuda::describe(device_in_use()).multiprocessors),
          plan_(plan::make_strict_plan({.m = problem_.m,
                                        .n = problem_.n,
                                        .k = problem_.k,
                                        .element_bytes = static_cast<int>(sizeof(T)),
                                        .multiprocessors = multiprocessors_,
                                        .tile_m = how.tile_m,
                                        .tile_n = how.tile_n,
                                        .parts = how.parts})),
          a_({problem_.a_type, problem_.m, problem_.k, problem_.a_layout.row_stride,
              problem_.a_layout.col_stride},
             sizeof(T) == 8 || plan_.is_small()),
          b_({problem_.b_type, problem_.n, problem_.k, problem_.b_layout.col_stride,
              problem_.b_layout.row_stride},
             sizeof(T) == 8) {
        choose();
    }

    void run(const core::operands& given) override {
        core::operands data = given;
        if (turned_) std::swap(data.a, data.b);
        if (!is_aligned(data.a) || !is_aligned(data.b)) pack_the_unaligned(data);
        const cudaStream_t stream = stream_in_use();
        const kernel<T>& k = *kernel_;
        const CUtensorMap a = a_.map(data.a, k.block_m, k.block_k, stream);
        const CUtensorMap b = b_.map(data.b, k.block_n, k.block_k, stream);
        k.launch(a, b, arguments_for(data.c), grid_, stream);
    }

    [[nodiscard]] std::vector<core::kernel_facts> kernels() const override { return {facts_}; }

  private:
    void pack_the_unaligned(const core::operands& data) {
        const bool packs_a = !is_aligned(data.a) && !a_.packed();
        const bool packs_b = !is_aligned(data.b) && !b_.packed();
        if (packs_a) a_.require_packing();
        if (packs_b) b_.require_packing();
        if (packs_a || packs_b) choose();
    }

    void choose() {
        const auto fits = [&](const kernel<T>& k) {
            return k.block_m == plan_.tile_m && k.block_n == plan_.tile_n;
        };
        kernel_ = &*std::ranges::find_if(kernels_for<T>(plan_, a_, b_), fits);
        const kernel<T>& k = *kernel_;
        tiles_m_ = plan::ceil_div(problem_.m, k.block_m);
        tiles_n_ = plan::ceil_div(problem_.n, k.block_n);
        grid_.cluster = plan_.parts;
        const std::int64_t tiles = tiles_m_ * tiles_n_;
        const std::int64_t resident = std::int64_t{multiprocessors_} * k.ctas_per_sm;
        grid_.ctas =
            static_cast<int>(plan_.parts == 1 ? std::min(tiles, resident) : tiles * plan_.parts);
        // Blocks of a cluster would rather meet on one multiprocessor than take one each.
        constexpr int too_much_for_two = 120 * 1024;
        grid_.shared_bytes = k.shared_bytes;
        if (grid_.ctas <= multiprocessors_)
            grid_.shared_bytes = std::max(grid_.shared_bytes, too_much_for_two);
        facts_ = load_kernel(k.name, k.function, k.threads, grid_.shared_bytes);
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
                .log2_split_k = std::countr_zero(static_cast<unsigned>(plan_.parts)),
                .alpha = static_cast<T>(p.alpha),
                .beta = static_cast<T>(p.beta)};
    }

    bool turned_;
    core::problem problem_;
    int multiprocessors_;
    plan::strict_plan plan_;
    operand a_;
    operand b_;
    const kernel<T>* kernel_ = nullptr;
    core::kernel_facts facts_;
    launch_shape grid_{};
    std::int64_t tiles_m_ = 0;
    std::int64_t tiles_n_ = 0;
};

}  // namespace

std::unique_ptr<core::runnable> prepare(const core::problem& p, const wishes& how) {
    if (p.c_type == dtype::f64) return std::make_unique<product<double>>(p, how);
    return std::make_unique<product<float>>(p, how);
}

}  // namespace carat::cuda::strict
