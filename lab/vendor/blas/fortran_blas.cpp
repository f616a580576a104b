#include "lab/vendor/blas/fortran_blas.hpp"

#include <fmt/format.h>
#include <limits>

#include "lab/vendor/common/blas_shape.hpp"
#include "lab/vendor/common/held_call.hpp"
#include "lab/vendor/common/scale_only.hpp"

namespace carat::vendor {

namespace {

constexpr std::int64_t largest_int = std::numeric_limits<int>::max();

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
    const auto call = [gemm, x = int_shape_for_blas(p), alpha = static_cast<Output>(p.alpha),
                       beta = static_cast<Output>(p.beta)](const core::operands& data) {
        gemm(&x.first_letter, &x.second_letter, &x.m, &x.n, &x.k, &alpha, x.first<Input>(data),
             &x.first_ld, x.second<Input>(data), &x.second_ld, &beta, static_cast<Output*>(data.c),
             &x.c_ld, 1, 1);
    };
    return holding_threads(library.threads, s.threads, call);
}

// Column-major, its first operand signed: of u8 by i8 in a C by rows that is B^T, as it should be.
std::unique_ptr<rows::runnable> prepare_bytes(const blas_library& library, const core::problem& p,
                                              const core::settings& s) {
    if (is_degenerate(p)) return std::make_unique<scale_only<std::uint32_t>>(p);
    const auto call = [gemm = library.byte_gemm, x = int_shape_for_blas(p),
                       beta = static_cast<float>(p.beta)](const core::operands& data) {
        const float alpha = 1;
        const std::int8_t none = 0;
        const std::int32_t offset = 0;
        gemm(&x.first_letter, &x.second_letter, "F", &x.m, &x.n, &x.k, &alpha,
             static_cast<const std::int8_t*>(data.b), &x.first_ld, &none,
             static_cast<const std::uint8_t*>(data.a), &x.second_ld, &none, &beta,
             static_cast<std::int32_t*>(data.c), &x.c_ld, &offset);
    };
    return holding_threads(library.threads, s.threads, call);
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
