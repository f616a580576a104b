// How cuBLAS names what a row multiplies and computes in, and its two scale factors.
#pragma once

#include <cstdint>
#include <cublas_v2.h>
#include <string>

#include "core/implementation.hpp"
#include "vendor/common/blas_shape.hpp"

namespace carat::vendor::cublas {

struct arithmetic {
    cudaDataType_t in;
    cudaDataType_t out;
    cublasComputeType_t compute;
    cudaDataType_t scale;
};

/// `as_tf32`: f32 data on the tensor cores.
[[nodiscard]] arithmetic arithmetic_for(const core::problem& p, bool as_tf32);

/// A factor in the type that `arithmetic::scale` names.
class factor {
  public:
    factor(double value, cudaDataType_t type);
    [[nodiscard]] const void* data() const { return &value_; }

  private:
    union {
        double f64;
        float f32;
        std::int32_t i32;
    } value_;
};

/// Why neither library takes `p`: strides that BLAS can't say, or integers that are not.
[[nodiscard]] std::string reason_against(const core::problem& p);

inline constexpr core::signature types[] = {
    {dtype::f64, dtype::f64, dtype::f64, "f64"},   {dtype::f32, dtype::f32, dtype::f32, "f32"},
    {dtype::f16, dtype::f16, dtype::f32, "f32"},   {dtype::f16, dtype::f16, dtype::f16, "f32"},
    {dtype::bf16, dtype::bf16, dtype::f32, "f32"}, {dtype::bf16, dtype::bf16, dtype::bf16, "f32"},
    {dtype::i8, dtype::i8, dtype::i32, "i32"}};
inline constexpr core::signature tf32_types[] = {{dtype::f32, dtype::f32, dtype::f32, "tf32"}};

}  // namespace carat::vendor::cublas
