// The baseline of every architecture but Arm: vectors of 16 bytes. There is no fused multiply-add,
// so each product is rounded before it is added.
#pragma once

#include "cpu/kernels/vector/vector_16.hpp"

namespace carat::cpu_engine::CARAT_ISA {

// Whether partial vectors are loaded and stored as fast as whole ones.
inline constexpr bool has_cheap_masks = false;
inline constexpr bool has_small_vectors = false;

template <class T>
struct vector : vector_16<T> {
    using type = typename vector_16<T>::type;
    static type multiply_add(type a, type b, type c) { return a * b + c; }
};

template <class T>
struct tile {
    static constexpr int vectors = 2;
    static constexpr int columns = 4;
    static constexpr int unpacked_vectors = 2;
    static constexpr int unpacked_columns(int) { return 4; }
};

}  // namespace carat::cpu_engine::CARAT_ISA

#define CARAT_TILE_NAME_F64 "gemm_f64_baseline_4x4"
#define CARAT_TILE_NAME_F32 "gemm_f32_baseline_8x4"
#define CARAT_TILE_NAME_I32 "gemm_i32_baseline_8x4"
