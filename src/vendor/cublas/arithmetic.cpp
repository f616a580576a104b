#include "vendor/cublas/arithmetic.hpp"

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
    }
    std::abort();
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

}  // namespace

arithmetic arithmetic_for(const core::problem& p, bool as_tf32) {
    const cudaDataType_t in = type_of(p.a_type);
    const cudaDataType_t out = type_of(p.c_type);
    switch (p.a_type) {
        case dtype::f64:
            return {in, out, CUBLAS_COMPUTE_64F, CUDA_R_64F};
        case dtype::i8:
            return {in, out, CUBLAS_COMPUTE_32I, CUDA_R_32I};
        default:
            return {in, out, as_tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F,
                    CUDA_R_32F};
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
    return p.a_type == dtype::i8 ? reason_against_bytes(p) : std::string();
}

}  // namespace carat::vendor::cublas
