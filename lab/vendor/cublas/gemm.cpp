// cublasGemmEx: one call, and the library picks the kernel. Row-major products go through the
// identity C^T = B^T A^T, so nothing is copied. Batches have two calls of their own.
#include <cuda_runtime_api.h>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cuda/common/error.hpp"
#include "cuda/common/handles.hpp"
#include "cuda/common/scale.hpp"
#include "lab/rows/operation.hpp"
#include "lab/vendor/cublas/arithmetic.hpp"
#include "lab/vendor/cublas/library.hpp"
#include "lab/vendor/cublas/rows.hpp"

namespace carat::vendor::cublas {

namespace {

// cublasGemmGroupedBatchedEx: products of different sizes in one call, each a group of its own.

// What the call is told of each product, in the host's memory.
struct shapes {
    std::vector<cublasOperation_t> first, second;
    std::vector<std::int64_t> m, n, k, first_ld, second_ld, c_ld, count, product;
    std::vector<bool> swapped;

    explicit shapes(const rows::operation& all) {
        const auto operation = [](char letter) {
            return letter == 'N' ? CUBLAS_OP_N : CUBLAS_OP_T;
        };
        for (std::int64_t i = 0; i < all.count; ++i) {
            const std::int64_t place = shuffled(all, i);
            const core::problem p = problem_of(all, place);
            if (p.m == 0) continue;
            const blas_shape s = shape_for_blas(p);
            first.push_back(operation(s.first_letter));
            second.push_back(operation(s.second_letter));
            m.push_back(s.m);
            n.push_back(s.n);
            k.push_back(s.k);
            first_ld.push_back(s.first_ld);
            second_ld.push_back(s.second_ld);
            c_ld.push_back(s.c_ld);
            count.push_back(1);
            product.push_back(place);
            swapped.push_back(s.swapped);
        }
    }
    [[nodiscard]] std::size_t size() const { return m.size(); }
};

// A factor for each, of the type it is scaled in.
class factors {
  public:
    factors(double value, cudaDataType_t type, std::size_t products)
        : f64_(products, value), f32_(products, static_cast<float>(value)), type_(type) {}
    [[nodiscard]] const void* data() const {
        return type_ == CUDA_R_64F ? static_cast<const void*>(f64_.data()) : f32_.data();
    }

  private:
    std::vector<double> f64_;
    std::vector<float> f32_;
    cudaDataType_t type_;
};

// Addresses in the GPU's memory: of BLAS's A, of its B, of C.
carat::cuda::device_memory addresses_of(const rows::operation& all, const shapes& of,
                                        const core::operands& data) {
    const std::size_t products = of.size();
    const rows::distances apart = distances_of(all);
    std::vector<const void*> host(3 * products);
    for (std::size_t i = 0; i < products; ++i) {
        const core::operands one = product_at(all, apart, data, of.product[i]);
        host[i] = of.swapped[i] ? one.b : one.a;
        host[products + i] = of.swapped[i] ? one.a : one.b;
        host[2 * products + i] = one.c;
    }
    auto memory = carat::cuda::allocate(host.size() * sizeof(void*));
    CARAT_CUDA_CHECK(
        cudaMemcpy(memory.get(), host.data(), host.size() * sizeof(void*), cudaMemcpyHostToDevice));
    return memory;
}

class gemm_group final : public rows::runnable {
  public:
    gemm_group(const rows::operation& all, shortcut taken)
        : all_(all),
          how_(arithmetic_for(all.one, taken)),
          of_(all),
          alpha_(all.one.alpha, how_.scale, of_.size()),
          beta_(all.one.beta, how_.scale, of_.size()),
          handle_(handle()) {}

    void expect(const core::operands& data) override { (void)at(data); }

    void run(const core::operands& data) override {
        const auto* const first = static_cast<const void* const*>(at(data));
        const std::size_t products = of_.size();
        check(library().gemm_grouped(
                  handle_, of_.first.data(), of_.second.data(), of_.m.data(), of_.n.data(),
                  of_.k.data(), alpha_.data(), first, how_.a, of_.first_ld.data(), first + products,
                  how_.b, of_.second_ld.data(), beta_.data(),
                  const_cast<void* const*>(first + 2 * products), how_.out, of_.c_ld.data(),
                  static_cast<std::int64_t>(products), of_.count.data(), how_.compute),
              "cublasGemmGroupedBatchedEx");
    }

    [[nodiscard]] std::string note() const override { return note_on(all_.one); }

  private:
    const void* at(const core::operands& data) {
        const auto found = places_.find(data.c);
        if (found != places_.end()) return found->second.get();
        return places_.emplace(data.c, addresses_of(all_, of_, data)).first->second.get();
    }

    rows::operation all_;
    arithmetic how_;
    shapes of_;
    factors alpha_;
    factors beta_;
    cublasHandle_t handle_;
    std::map<const void*, carat::cuda::device_memory> places_;
};

// One type for all three operands.
std::string reason_against_group(const rows::operation& all) {
    const core::problem& p = all.one;
    if (is_degenerate(p)) return {};
    if (library().gemm_grouped == nullptr)
        return "this cuBLAS has no cublasGemmGroupedBatchedEx: 12.5 and later have";
    if (is_floating(p.a_type) && p.a_type == p.c_type) return {};
    return fmt::format(
        "cuBLAS groups products of one floating-point type, and C of {} is {}{}", name(p.a_type),
        name(p.c_type),
        is_floating(p.a_type) ? fmt::format(": take --out {}", name(p.a_type)) : std::string());
}

std::unique_ptr<rows::runnable> prepare_group(const rows::operation& all, shortcut taken) {
    return std::make_unique<gemm_group>(all, taken);
}

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

template <shortcut Taken>
constexpr rows::implementation row(std::string_view name, std::string_view summary) {
    return {.name = name,
            .summary = summary,
            .where = rows::device::cuda,
            .signatures = Taken == shortcut::tf32 ? std::span<const core::signature>(tf32_types)
                                                  : std::span<const core::signature>(types),
            .unavailable = unavailable,
            .unsupported = unsupported,
            .prepare = prepare<Taken>,
            .library = cublas_facts,
            .unsupported_operation = unsupported_operation,
            .prepare_operation = prepare_batch<Taken>,
            .takes_groups = true};
}

}  // namespace

constinit const rows::implementation cublas_row =
    row<shortcut::none>("vendor.cublas", "NVIDIA cuBLAS, the kernel it picks by default");
constinit const rows::implementation cublas_tf32_row = row<shortcut::tf32>(
    "vendor.cublas_tf32", "NVIDIA cuBLAS, f32 data on the tensor cores as tf32");

}  // namespace carat::vendor::cublas
