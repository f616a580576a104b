#include "cuda/families/gemv/product.hpp"

#include <algorithm>
#include <utility>

#include "cuda/common/costs.hpp"
#include "cuda/common/handles.hpp"
#include "cuda/common/kernel.hpp"
#include "cuda/common/launch.hpp"
#include "cuda/common/probe.hpp"
#include "cuda/common/sms.hpp"
#include "cuda/families/gemv/arguments.hpp"
#include "plan/gemm_prediction.hpp"

namespace carat::cuda::gemv {

namespace {

// The strides and sizes; pointers come with each run.
arguments shape_of(const core::problem& p) {
    const bool one_row = p.m == 1;
    arguments of{};
    of.depth = p.k;
    of.lines = one_row ? p.n : p.m;
    of.across = one_row ? p.b_layout.col_stride : p.a_layout.row_stride;
    of.along = one_row ? p.b_layout.row_stride : p.a_layout.col_stride;
    of.x_step = one_row ? p.a_layout.col_stride : p.b_layout.row_stride;
    of.y_step = one_row ? p.c_layout.col_stride : p.c_layout.row_stride;
    of.alpha = p.alpha;
    of.beta = p.beta;
    of.y_is_f32 = p.c_type == dtype::f32;
    return of;
}

bool lies_along_k(const arguments& of) {
    return of.along <= of.across;
}

class product final : public gemm_product {
  public:
    explicit product(const core::gpu_call& call)
        : type_(call.problem.a_type),
          one_row_(call.problem.m == 1),
          products_(call.products),
          shape_(shape_of(call.problem)) {
        facts_ = load(kernel_for(true));
        sms_ = sms_for_products();  // slow to ask
        has_clusters_ = compiled_for() >= 90;
    }

    bool run(const bindings& given) const override {
        const core::operands& data = given.data;
        const core::product_distances& apart = given.apart;
        arguments with = shape_;
        with.matrix = one_row_ ? data.b : data.a;
        with.x = one_row_ ? data.a : data.b;
        with.y = data.c;
        with.source = given.source();
        with.matrix_apart = one_row_ ? apart.b : apart.a;
        with.x_apart = one_row_ ? apart.a : apart.b;
        with.y_apart = apart.c;
        const bool aligned =
            is_aligned(with.matrix) && in_whole_16_bytes(with.matrix_apart) &&
            ((is_aligned(with.x) && in_whole_16_bytes(with.x_apart)) || !lies_along_k());
        const kernel& k = kernel_for(aligned);
        if (!aligned) (void)load(k);
        launch(k, with, given.stream);
        return true;
    }

    [[nodiscard]] std::vector<core::kernel_facts> kernels() const override { return {facts_}; }
    [[nodiscard]] std::optional<core::gpu_prediction> predicted(
        const core::roofline_rates& here) const override {
        const kernel& k = kernel_for(true);
        const std::int64_t ctas = (shape_.lines + k.lines - 1) / k.lines;
        const auto elements = static_cast<double>(
            products_.count * (shape_.lines * shape_.depth + shape_.lines + shape_.depth));
        return plan::predict_gemv(elements * static_cast<double>(size_bytes(type_)),
                                  ctas * split_k_for(k, ctas * products_.count) * products_.count,
                                  costs_in_use(), here);
    }

  private:
    [[nodiscard]] bool lies_along_k() const { return gemv::lies_along_k(shape_); }

    [[nodiscard]] bool in_whole_16_bytes(std::int64_t stride) const {
        return stride * static_cast<std::int64_t>(size_bytes(type_)) % 16 == 0;
    }

    // Whether vectors of 16 bytes are aligned everywhere if the data's beginning is.
    [[nodiscard]] bool in_vectors() const {
        if (lies_along_k())
            return shape_.along == 1 && shape_.x_step == 1 && in_whole_16_bytes(shape_.across);
        return shape_.across == 1 && in_whole_16_bytes(shape_.along);
    }

    [[nodiscard]] const kernel& kernel_for(bool aligned) const {
        // Fewer lines than this leave SMs idle, four to a CTA.
        constexpr std::int64_t many = 4096;
        // This is half of what a CTA's threads read at once: without short lines a bf16 product of
        // 256 x (1 x 4096 x 128) with B by columns took 317 us, 4.7 times as long as cuBLAS.
        constexpr std::int64_t short_bytes = 1024;
        if (lies_along_k() && aligned && in_vectors() &&
            shape_.depth * static_cast<std::int64_t>(size_bytes(type_)) <= short_bytes)
            return short_lines(type_);
        if (lies_along_k())
            return k_major(type_, aligned && in_vectors(), shape_.lines * products_.count >= many);
        return mn_major(type_, aligned && in_vectors());
    }

    static core::kernel_facts load(const kernel& k) {
        return load_kernel(k.name, k.function, k.threads, 0);
    }

    // CTAs of a cluster that share K: three for each SM, if there is enough of K for them.
    [[nodiscard]] int split_k_for(const kernel& k, std::int64_t ctas) const {
        if (lies_along_k() || !has_clusters_) return 1;
        const std::int64_t wanted = std::int64_t{3} * sms_;
        int split_k = 1;
        while (split_k < 8 && ctas * split_k < wanted && shape_.depth >= k.threads * split_k)
            split_k *= 2;
        return split_k;
    }

    void launch(const kernel& k, arguments with, cudaStream_t stream) const {
        const std::int64_t ctas = (shape_.lines + k.lines - 1) / k.lines;
        const int split_k = split_k_for(k, ctas * products_.count);
        void* arguments[] = {&with};
        launch_closely(
            k.function,
            {dim3(static_cast<unsigned>(ctas * split_k), static_cast<unsigned>(products_.count)),
             static_cast<unsigned>(k.threads), 0, static_cast<unsigned>(split_k)},
            stream, arguments);
    }

    dtype type_;
    bool one_row_;
    core::product_set products_;
    arguments shape_;
    core::kernel_facts facts_;
    int sms_ = 0;
    bool has_clusters_ = false;
};

bool takes(const core::gpu_call& call) {
    const core::problem& p = call.problem;
    const std::int64_t batch = call.products.count;
    if (call.is_degenerate() || call.arithmetic != core::gpu_arithmetic::native ||
        call.epilogue.changes_sums || call.products.are > core::multiplicity::strided)
        return false;
    const bool known = p.a_type == dtype::f64 || p.a_type == dtype::f32 || p.a_type == dtype::f16 ||
                       p.a_type == dtype::bf16;
    if (!known || p.a_type != p.b_type || (p.m != 1 && p.n != 1)) return false;
    // The tensor cores' kernels are faster for MN-major matrices of 16 bits: 12 us instead of 20 at
    // 4096 x 4096 on an H200. They are slower for a batch with little K: 38 us instead of 15 at
    // 16 x (1 x 12288 x 64).
    constexpr std::int64_t little_k = 1024;
    return !is_half(p.a_type) || lies_along_k(shape_of(p)) || (batch > 1 && p.k <= little_k);
}

// No family is faster for what this one takes: it reads the matrix once, at memory's speed.
std::optional<plan::gpu_plan> choose(const core::gpu_call& call, const plan_wish&) {
    if (!takes(call)) return std::nullopt;
    return plan::gpu_plan{.family = "gemv"};
}

std::unique_ptr<const gemm_product> prepare(const core::gpu_call& call, const plan::gpu_plan&) {
    return std::make_unique<product>(call);
}

}  // namespace

const family& row() {
    static constexpr family all = {.name = "gemv", .choose = choose, .prepare = prepare};
    return all;
}

}  // namespace carat::cuda::gemv
