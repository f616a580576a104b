#include "lab/vendor/blas/fortran_blas.hpp"

#include <fmt/format.h>
#include <limits>

#include "lab/vendor/common/blas_shape.hpp"
#include "lab/vendor/common/scale_only.hpp"

namespace carat::vendor {

namespace {

constexpr std::int64_t largest_int = std::numeric_limits<int>::max();

template <class Input, class Output>
class gemm_call final : public rows::runnable {
  public:
    gemm_call(const blas_library& library, fortran_gemm<Input, Output>* gemm,
              const core::problem& p, int threads)
        : gemm_(gemm),
          control_(library.threads),
          threads_(threads),
          shape_(shape_for_blas(p)),
          alpha_(static_cast<Output>(p.alpha)),
          beta_(static_cast<Output>(p.beta)) {}

    void run(const core::operands& data) override {
        const threads_held held(control_, threads_);
        const auto* first = static_cast<const Input*>(shape_.swapped ? data.b : data.a);
        const auto* second = static_cast<const Input*>(shape_.swapped ? data.a : data.b);
        gemm_(&shape_.first_letter, &shape_.second_letter, &m_, &n_, &k_, &alpha_, first,
              &first_ld_, second, &second_ld_, &beta_, static_cast<Output*>(data.c), &c_ld_, 1, 1);
    }

    [[nodiscard]] int threads() const override { return threads_; }

  private:
    fortran_gemm<Input, Output>* gemm_;
    const thread_control& control_;
    int threads_;
    blas_shape shape_;
    int m_ = static_cast<int>(shape_.m);
    int n_ = static_cast<int>(shape_.n);
    int k_ = static_cast<int>(shape_.k);
    int first_ld_ = static_cast<int>(shape_.first_ld);
    int second_ld_ = static_cast<int>(shape_.second_ld);
    int c_ld_ = static_cast<int>(shape_.c_ld);
    Output alpha_;
    Output beta_;
};

// Column-major, its first operand signed: of u8 by i8 in a C by rows that is B^T, as it should be.
class byte_gemm_call final : public rows::runnable {
  public:
    byte_gemm_call(const blas_library& library, const core::problem& p, int threads)
        : gemm_(library.byte_gemm),
          control_(library.threads),
          threads_(threads),
          shape_(shape_for_blas(p)),
          beta_(static_cast<float>(p.beta)) {}

    void run(const core::operands& data) override {
        const threads_held held(control_, threads_);
        const int m = static_cast<int>(shape_.m);
        const int n = static_cast<int>(shape_.n);
        const int k = static_cast<int>(shape_.k);
        const int first_ld = static_cast<int>(shape_.first_ld);
        const int second_ld = static_cast<int>(shape_.second_ld);
        const int c_ld = static_cast<int>(shape_.c_ld);
        const float alpha = 1;
        const std::int8_t none = 0;
        const std::int32_t offset = 0;
        gemm_(&shape_.first_letter, &shape_.second_letter, "F", &m, &n, &k, &alpha,
              static_cast<const std::int8_t*>(data.b), &first_ld, &none,
              static_cast<const std::uint8_t*>(data.a), &second_ld, &none, &beta_,
              static_cast<std::int32_t*>(data.c), &c_ld, &offset);
    }

    [[nodiscard]] int threads() const override { return threads_; }

  private:
    fortran_byte_gemm* gemm_;
    const thread_control& control_;
    int threads_;
    blas_shape shape_;
    float beta_;
};

std::string reason_against_bytes(const blas_library& library, const core::problem& p) {
    const std::string name = library.facts.name + " " + library.facts.version;
    if (library.byte_gemm == nullptr) return name + " has no product of bytes";
    if (is_degenerate(p)) return core::reason_against_factors(p);
    if (std::string why = reason_against_float_scaling(p); !why.empty()) return why;
    if (!shape_for_blas(p).swapped) return name + " multiplies u8 by i8 into a C by rows only";
    return {};
}

template <class Input, class Output>
std::unique_ptr<rows::runnable> prepare_gemm(const blas_library& library,
                                             fortran_gemm<Input, Output>* gemm,
                                             const core::problem& p, const core::settings& s) {
    if (is_degenerate(p)) return std::make_unique<scale_only<Output>>(p);
    const int threads = library.threads.confirm ? library.threads.confirm(s.threads) : 1;
    return std::make_unique<gemm_call<Input, Output>>(library, gemm, p, threads);
}

std::unique_ptr<rows::runnable> prepare_bytes(const blas_library& library, const core::problem& p,
                                              const core::settings& s) {
    if (is_degenerate(p)) return std::make_unique<scale_only<std::uint32_t>>(p);
    const int threads = library.threads.confirm ? library.threads.confirm(s.threads) : 1;
    return std::make_unique<byte_gemm_call>(library, p, threads);
}

}  // namespace

blas_library open_blas(const blas_vendor& vendor) {
    blas_library library;
    const auto connect = [&](const shared_library& file) {
        blas_library candidate;
        candidate.dgemm = file.required<fortran_gemm<double, double>>("dgemm_");
        candidate.sgemm = file.required<fortran_gemm<float, float>>("sgemm_");
        candidate.batch_f64 = {file.function<fortran_gemm_strided<double>>("dgemm_batch_strided_"),
                               file.function<fortran_gemm_grouped<double>>("dgemm_batch_")};
        candidate.batch_f32 = {file.function<fortran_gemm_strided<float>>("sgemm_batch_strided_"),
                               file.function<fortran_gemm_grouped<float>>("sgemm_batch_")};
        candidate.facts.name = vendor.search.title;
        candidate.facts.path = file.path();
        vendor.connect(file, candidate);
        library = std::move(candidate);
    };
    std::string missing = open_first(vendor.search, connect);
    library.missing = std::move(missing);
    return library;
}

std::string reason_against(const blas_library& library, const core::problem& p,
                           const core::settings& s) {
    if (p.a_type == dtype::bf16 && library.sbgemm == nullptr)
        return fmt::format("{} {} has no bf16 product", library.facts.name, library.facts.version);
    if (std::string why = reason_against_shape(p, largest_int); !why.empty()) return why;
    if (p.c_type == dtype::i32)
        if (std::string why = reason_against_bytes(library, p); !why.empty()) return why;
    return reason_against_threads(library.threads, s.threads);
}

std::unique_ptr<rows::runnable> prepare(const blas_library& library, const core::problem& p,
                                        const core::settings& s) {
    switch (p.a_type) {
        case dtype::u8:
            return prepare_bytes(library, p, s);
        case dtype::bf16:
            return prepare_gemm(library, library.sbgemm, p, s);
        case dtype::f32:
            return prepare_gemm(library, library.sgemm, p, s);
        default:
            return prepare_gemm(library, library.dgemm, p, s);
    }
}

}  // namespace carat::vendor
