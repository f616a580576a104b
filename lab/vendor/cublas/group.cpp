#include "lab/vendor/cublas/group.hpp"

#include <cuda_runtime_api.h>
#include <fmt/format.h>
#include <map>
#include <vector>

#include "cuda/common/error.hpp"
#include "cuda/common/handles.hpp"
#include "lab/vendor/cublas/library.hpp"

namespace carat::vendor::cublas {

namespace {

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

}  // namespace

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

}  // namespace carat::vendor::cublas
