#include "cuda/engine/arithmetic.hpp"

namespace carat::gpu_engine {

namespace {

constexpr std::string_view promoted_fp8 = "fp8/f32 (14-bit sums of 128)";
constexpr std::string_view summed_in_14_bits = "fp8/14-bit (fast accumulation)";

constexpr core::signature native_types[] = {
    {dtype::f16, dtype::f16, dtype::f32, "f32"},
    {dtype::f16, dtype::f16, dtype::f16, "f32, rounded once"},
    {dtype::bf16, dtype::bf16, dtype::f32, "f32"},
    {dtype::bf16, dtype::bf16, dtype::bf16, "f32, rounded once"},
    {dtype::i8, dtype::i8, dtype::i32, "i32"},
    {dtype::e4m3, dtype::e4m3, dtype::f32, promoted_fp8},
    {dtype::e4m3, dtype::e4m3, dtype::bf16, promoted_fp8},
    {dtype::e5m2, dtype::e4m3, dtype::f32, promoted_fp8},
    {dtype::e5m2, dtype::e4m3, dtype::bf16, promoted_fp8},
    {dtype::f32, dtype::f32, dtype::f32, "f32"},
    {dtype::f64, dtype::f64, dtype::f64, "f64"}};
constexpr core::signature tf32_types[] = {{dtype::f32, dtype::f32, dtype::f32, "tf32"}};
constexpr core::signature three_tf32_types[] = {{dtype::f32, dtype::f32, dtype::f32, "3xtf32"}};
constexpr core::signature fast_fp8_types[] = {
    {dtype::e4m3, dtype::e4m3, dtype::f32, summed_in_14_bits},
    {dtype::e4m3, dtype::e4m3, dtype::bf16, summed_in_14_bits},
    {dtype::e5m2, dtype::e4m3, dtype::f32, summed_in_14_bits},
    {dtype::e5m2, dtype::e4m3, dtype::bf16, summed_in_14_bits}};
constexpr core::signature blocks_types[] = {{dtype::e4m3, dtype::e4m3, dtype::f32, promoted_fp8},
                                            {dtype::e4m3, dtype::e4m3, dtype::bf16, promoted_fp8}};

}  // namespace

std::string_view row_name(core::gpu_arithmetic how) {
    using enum core::gpu_arithmetic;
    switch (how) {
        case native:
            return "cuda.engine";
        case tf32:
            return "cuda.engine.tf32";
        case three_tf32:
            return "cuda.engine.3xtf32";
        case fast_fp8:
            return "cuda.engine.fp8_fast";
        case fp8_blocks:
            return "cuda.engine.fp8_blocks";
    }
    return {};
}

std::span<const core::signature> signatures_of(core::gpu_arithmetic how) {
    using enum core::gpu_arithmetic;
    switch (how) {
        case native:
            return native_types;
        case tf32:
            return tf32_types;
        case three_tf32:
            return three_tf32_types;
        case fast_fp8:
            return fast_fp8_types;
        case fp8_blocks:
            return blocks_types;
    }
    return {};
}

}  // namespace carat::gpu_engine
