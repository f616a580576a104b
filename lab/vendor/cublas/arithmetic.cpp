#include "lab/vendor/cublas/arithmetic.hpp"

#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <limits>

namespace carat::vendor::cublas {

namespace {

cudaDataType_t type_of(dtype type) {
    switch (type) {
        case dtype::f64:
            return CUDA_R_64F;
        case dtype::f32:
            return CUDA_R_32F;
        case dtype::f16:
            return CUDA_R_16F;
        case dtype::bf16:
            return CUDA_R_16BF;
        case dtype::i32:
            return CUDA_R_32I;
        case dtype::i8:
            return CUDA_R_8I;
        case dtype::u8:
            return CUDA_R_8U;
        case dtype::e4m3:
            return CUDA_R_8F_E4M3;
        case dtype::e5m2:
            return CUDA_R_8F_E5M2;
        default:
            std::abort();  // no row has it
    }
}

bool is_int32(double value) {
    return std::trunc(value) == value &&
           std::fabs(value) <= std::numeric_limits<std::int32_t>::max();
}

// cuBLAS moves bytes in fours.
std::string reason_against_bytes(const core::problem& p) {
    if (!is_int32(p.alpha) || !is_int32(p.beta))
        return fmt::format("alpha and beta must be 32-bit integers for i8: they are {} and {}",
                           p.alpha, p.beta);
    const blas_shape s = shape_for_blas(p);
    for (const auto& [name, size] : {std::pair{"M", p.m},
                                     {"N", p.n},
                                     {"K", p.k},
                                     {"a leading dimension", s.first_ld},
                                     {"a leading dimension", s.second_ld}})
        if (size % 4 != 0)
            return fmt::format("{} is {}, and cuBLAS takes i8 only in multiples of 4", name, size);
    return {};
}

// Both operands contiguous along K, in BLAS's words: the only form for which Hopper's tensor cores
// take elements of 8 bits.
bool lies_along_k(const core::problem& p) {
    const blas_shape s = shape_for_blas(p);
    return s.first_letter == 'T' && s.second_letter == 'N';
}

std::string reason_against_fp8(const core::problem& p) {
    if (!lies_along_k(p))
        return "cuBLASLt takes fp8 only where A and B both are contiguous along K: store B "
               "transposed (--layout nt)";
    const blas_shape s = shape_for_blas(p);
    for (const auto& [name, size] : {std::pair{"K", p.k},
                                     {s.swapped ? "N" : "M", s.m},
                                     {"a leading dimension", s.first_ld},
                                     {"a leading dimension", s.second_ld}})
        if (size % 16 != 0)
            return fmt::format("{} is {}, and cuBLASLt takes fp8 only in multiples of 16", name,
                               size);
    return {};
}

}  // namespace

arithmetic arithmetic_for(const core::problem& p, shortcut taken) {
    const cudaDataType_t a = type_of(p.a_type);
    const cudaDataType_t b = type_of(p.b_type);
    const cudaDataType_t out = type_of(p.c_type);
    switch (p.a_type) {
        case dtype::f64:
            return {a, b, out, CUBLAS_COMPUTE_64F, CUDA_R_64F};
        case dtype::i8:
            return {a, b, out, CUBLAS_COMPUTE_32I, CUDA_R_32I};
        default:
            return {a,
                    b,
                    out,
                    taken == shortcut::tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F,
                    CUDA_R_32F,
                    taken == shortcut::fast_fp8};
    }
}

factor::factor(double value, cudaDataType_t type) : value_{.f64 = value} {
    if (type == CUDA_R_32F) value_.f32 = static_cast<float>(value);
    if (type == CUDA_R_32I) value_.i32 = static_cast<std::int32_t>(value);
}

std::string reason_against(const core::problem& p) {
    if (std::string why = reason_against_shape(p, std::numeric_limits<std::int64_t>::max());
        !why.empty() || is_degenerate(p))
        return why;
    if (is_fp8(p.a_type)) return reason_against_fp8(p);
    return p.a_type == dtype::i8 ? reason_against_bytes(p) : std::string();
}

std::string note_on(const core::problem& p) {
    if (p.a_type != dtype::i8 || is_degenerate(p) || lies_along_k(p)) return {};
    return "i8 runs on its fast kernels only where A and B both are contiguous along K (--layout "
           "nt); this is the general one, and nothing is copied for it";
}

}  // namespace carat::vendor::cublas
