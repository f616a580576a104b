// cublasGemmEx: one call, and the library picks the kernel. Row-major products go through the
// identity C^T = B^T A^T, so nothing is copied. Batches have two calls of their own.
#include <cuda_runtime_api.h>
#include <map>
#include <vector>

#include "cuda/common/error.hpp"
#include "cuda/common/handles.hpp"
#include "cuda/common/scale.hpp"
#include "lab/rows/operation.hpp"
#include "lab/vendor/cublas/arithmetic.hpp"
#include "lab/vendor/cublas/group.hpp"
#include "lab/vendor/cublas/library.hpp"
#include "lab/vendor/cublas/rows.hpp"

namespace carat::vendor::cublas {

namespace {

constexpr cublasOperation_t operation(char letter) {
    return letter == 'N' ? CUBLAS_OP_N : CUBLAS_OP_T;
}

class gemm final : public rows::runnable {
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

// Addresses of a batch in the GPU's memory: those of BLAS's A, of its B, of C.
class addresses {
  public:
    addresses(const rows::operation& all, const core::operands& data, bool swapped)
        : count_(static_cast<std::size_t>(all.count)),
          memory_(carat::cuda::allocate(3 * count_ * sizeof(void*))) {
        std::vector<const void*> host(3 * count_);
        for (std::size_t i = 0; i < count_; ++i) {
            const core::operands one =
                product_at(all, data, shuffled(all, static_cast<std::int64_t>(i)));
            host[i] = swapped ? one.b : one.a;
            host[count_ + i] = swapped ? one.a : one.b;
            host[2 * count_ + i] = one.c;
        }
        CARAT_CUDA_CHECK(cudaMemcpy(memory_.get(), host.data(), host.size() * sizeof(void*),
                                    cudaMemcpyHostToDevice));
    }
    [[nodiscard]] const void* const* first() const { return at(0); }
    [[nodiscard]] const void* const* second() const { return at(1); }
    [[nodiscard]] void* const* c() const {
        return static_cast<void* const*>(memory_.get()) + 2 * count_;
    }

  private:
    [[nodiscard]] const void* const* at(std::size_t operand) const {
        return static_cast<const void* const*>(memory_.get()) + operand * count_;
    }
    std::size_t count_;
    carat::cuda::device_memory memory_;
};

class gemm_batch final : public rows::runnable {
  public:
    gemm_batch(const rows::operation& all, shortcut taken)
        : all_(all),
          how_(arithmetic_for(all.one, taken)),
          alpha_(all.one.alpha, how_.scale),
          beta_(all.one.beta, how_.scale),
          handle_(handle()),
          shape_(shape_for_blas(all.one)),
          apart_(distances_of(all)) {}

    void expect(const core::operands& data) override {
        if (all_.lies == rows::placement::pointers)
            places_.try_emplace(data.c, all_, data, shape_.swapped);
    }

    void run(const core::operands& data) override {
        if (all_.lies == rows::placement::pointers) return run_anywhere(data);
        const blas_shape& s = shape_;
        check(library().gemm_batch(handle_, operation(s.first_letter), operation(s.second_letter),
                                   s.m, s.n, s.k, alpha_.data(), s.swapped ? data.b : data.a,
                                   s.swapped ? how_.b : how_.a, s.first_ld,
                                   s.swapped ? apart_.b : apart_.a, s.swapped ? data.a : data.b,
                                   s.swapped ? how_.a : how_.b, s.second_ld,
                                   s.swapped ? apart_.a : apart_.b, beta_.data(), data.c, how_.out,
                                   s.c_ld, apart_.c, all_.count, how_.compute, CUBLAS_GEMM_DEFAULT),
              "cublasGemmStridedBatchedEx");
    }

    [[nodiscard]] std::string note() const override { return note_on(all_.one); }

  private:
    void run_anywhere(const core::operands& data) {
        const blas_shape& s = shape_;
        const addresses& at = places_.try_emplace(data.c, all_, data, s.swapped).first->second;
        check(library().gemm_anywhere(
                  handle_, operation(s.first_letter), operation(s.second_letter), s.m, s.n, s.k,
                  alpha_.data(), at.first(), s.swapped ? how_.b : how_.a, s.first_ld, at.second(),
                  s.swapped ? how_.a : how_.b, s.second_ld, beta_.data(), at.c(), how_.out, s.c_ld,
                  all_.count, how_.compute, CUBLAS_GEMM_DEFAULT),
              "cublasGemmBatchedEx");
    }

    rows::operation all_;
    arithmetic how_;
    factor alpha_;
    factor beta_;
    cublasHandle_t handle_;
    blas_shape shape_;
    rows::distances apart_;
    std::map<const void*, addresses> places_;
};

template <shortcut Taken>
std::unique_ptr<rows::runnable> prepare(const core::problem& p, const core::settings&) {
    return std::make_unique<gemm>(p, Taken);
}

std::string unsupported_operation(const rows::operation& all, const core::settings&) {
    if (!all.last.is_none()) return "cuBLAS has no epilogues (cuBLASLt has)";
    return all.is_listed() ? reason_against_group(all) : std::string();
}

template <shortcut Taken>
std::unique_ptr<rows::runnable> prepare_batch(const rows::operation& all, const core::settings& s) {
    if (is_degenerate(all.one))
        return loop_over([&](const core::problem& p) { return prepare<Taken>(p, s); }, all);
    if (all.is_listed()) return prepare_group(all, Taken);
    return std::make_unique<gemm_batch>(all, Taken);
}

std::string unsupported(const core::problem& p, const core::settings&) {
    return reason_against(p);
}

}  // namespace

constinit const rows::implementation cublas_row{
    .name = "vendor.cublas",
    .summary = "NVIDIA cuBLAS, the kernel it picks by default",
    .where = rows::device::cuda,
    .signatures = types,
    .unavailable = unavailable,
    .unsupported = unsupported,
    .prepare = prepare<shortcut::none>,
    .library = cublas_facts,
    .unsupported_operation = unsupported_operation,
    .prepare_operation = prepare_batch<shortcut::none>,
    .takes_groups = true};

constinit const rows::implementation cublas_tf32_row{
    .name = "vendor.cublas_tf32",
    .summary = "NVIDIA cuBLAS, f32 data on the tensor cores as tf32",
    .where = rows::device::cuda,
    .signatures = tf32_types,
    .unavailable = unavailable,
    .unsupported = unsupported,
    .prepare = prepare<shortcut::tf32>,
    .library = cublas_facts,
    .unsupported_operation = unsupported_operation,
    .prepare_operation = prepare_batch<shortcut::tf32>,
    .takes_groups = true};

}  // namespace carat::vendor::cublas
