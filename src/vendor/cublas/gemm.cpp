// cublasGemmEx: one call, and the library picks the kernel. Row-major products go through the
// identity C^T = B^T A^T, so nothing is copied.
#include "cuda/common/scale.hpp"
#include "vendor/cublas/arithmetic.hpp"
#include "vendor/cublas/library.hpp"
#include "vendor/cublas/rows.hpp"

namespace carat::vendor::cublas {

namespace {

constexpr cublasOperation_t operation(char letter) {
    return letter == 'N' ? CUBLAS_OP_N : CUBLAS_OP_T;
}

class gemm final : public core::runnable {
  public:
    gemm(const core::problem& p, shortcut taken)
        : problem_(p),
          how_(arithmetic_for(p, taken)),
          alpha_(p.alpha, how_.scale),
          beta_(p.beta, how_.scale),
          handle_(handle()) {
        if (!is_degenerate(p)) shape_ = shape_for_blas(p);
    }

    void run(const core::operands& data) override {
        if (is_degenerate(problem_)) return carat::cuda::scale_c(problem_, data.c);
        const blas_shape& s = shape_;
        check(
            library().gemm(handle_, operation(s.first_letter), operation(s.second_letter), s.m, s.n,
                           s.k, alpha_.data(), s.swapped ? data.b : data.a, how_.a, s.first_ld,
                           s.swapped ? data.a : data.b, how_.b, s.second_ld, beta_.data(), data.c,
                           how_.out, s.c_ld, how_.compute, CUBLAS_GEMM_DEFAULT),
            "cublasGemmEx");
    }

    [[nodiscard]] std::string note() const override { return note_on(problem_); }

  private:
    core::problem problem_;
    arithmetic how_;
    factor alpha_;
    factor beta_;
    cublasHandle_t handle_;
    blas_shape shape_;
};

template <shortcut Taken>
std::unique_ptr<core::runnable> prepare(const core::problem& p, const core::settings&) {
    return std::make_unique<gemm>(p, Taken);
}

std::string unsupported(const core::problem& p, const core::settings&) {
    return reason_against(p);
}

}  // namespace

constinit const core::implementation cublas_row{
    .name = "vendor.cublas",
    .summary = "NVIDIA cuBLAS, the kernel it picks by default",
    .where = core::device::cuda,
    .signatures = types,
    .unavailable = unavailable,
    .unsupported = unsupported,
    .prepare = prepare<shortcut::none>,
    .library = cublas_facts};

constinit const core::implementation cublas_tf32_row{
    .name = "vendor.cublas_tf32",
    .summary = "NVIDIA cuBLAS, f32 data on the tensor cores as tf32",
    .where = core::device::cuda,
    .signatures = tf32_types,
    .unavailable = unavailable,
    .unsupported = unsupported,
    .prepare = prepare<shortcut::tf32>,
    .library = cublas_facts};

}  // namespace carat::vendor::cublas
