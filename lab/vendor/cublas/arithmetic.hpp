// How cuBLAS names what a row multiplies and computes in, and its two scale factors.
#pragma once

#include <cstdint>
#include <cublas_v2.h>
#include <span>
#include <string>

#include "lab/rows/implementation.hpp"
#include "lab/vendor/common/blas_shape.hpp"

namespace carat::vendor::cublas {

// What a row trades precision for: nothing, f32's on the tensor cores, or the f32 sums of fp8.
enum class shortcut : std::uint8_t { none, tf32, fast_fp8 };

struct arithmetic {
    cudaDataType_t a;
    cudaDataType_t b;
    cudaDataType_t out;
    cublasComputeType_t compute;
    cudaDataType_t scale;
    bool fast_accumulation = false;
};

[[nodiscard]] arithmetic arithmetic_for(const core::problem& p, shortcut taken);

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

/// Why neither library takes `p`: strides that BLAS can't say, integers that are not, or fp8
/// operands that are not contiguous along K.
[[nodiscard]] std::string reason_against(const core::problem& p);

/// What should be known of how `p` is done; empty when there is nothing to say.
[[nodiscard]] std::string note_on(const core::problem& p);

// cuBLASLt's; cuBLAS has all but fp8. Two e5m2 operands it does not multiply.
inline constexpr std::string_view fp8_sums = "fp8/f32 (14-bit sums of 128)";
inline constexpr core::signature lt_types[] = {{dtype::f64, dtype::f64, dtype::f64, "f64"},
                                               {dtype::f32, dtype::f32, dtype::f32, "f32"},
                                               {dtype::f16, dtype::f16, dtype::f32, "f32"},
                                               {dtype::f16, dtype::f16, dtype::f16, "f32"},
                                               {dtype::bf16, dtype::bf16, dtype::f32, "f32"},
                                               {dtype::bf16, dtype::bf16, dtype::bf16, "f32"},
                                               {dtype::i8, dtype::i8, dtype::i32, "i32"},
                                               {dtype::e4m3, dtype::e4m3, dtype::f32, fp8_sums},
                                               {dtype::e4m3, dtype::e4m3, dtype::bf16, fp8_sums},
                                               {dtype::e5m2, dtype::e4m3, dtype::f32, fp8_sums},
                                               {dtype::e5m2, dtype::e4m3, dtype::bf16, fp8_sums}};
inline constexpr std::span<const core::signature> types(lt_types, 7);
inline constexpr std::string_view fp8_fast_sums = "fp8/14-bit (fast accumulation)";
inline constexpr core::signature fp8_fast_types[] = {
    {dtype::e4m3, dtype::e4m3, dtype::f32, fp8_fast_sums},
    {dtype::e4m3, dtype::e4m3, dtype::bf16, fp8_fast_sums},
    {dtype::e5m2, dtype::e4m3, dtype::f32, fp8_fast_sums},
    {dtype::e5m2, dtype::e4m3, dtype::bf16, fp8_fast_sums}};
inline constexpr core::signature tf32_types[] = {{dtype::f32, dtype::f32, dtype::f32, "tf32"}};

}  // namespace carat::vendor::cublas
