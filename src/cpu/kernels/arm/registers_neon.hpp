// NEON, which every 64-bit Arm processor has: 32 registers of 16 bytes with fused multiply-add. 24
// sums and four vectors of A leave four registers. An element of B is a lane of a register, which a
// multiply-add takes as it is.
#pragma once

#include <arm_neon.h>

#include "cpu/kernels/vector/vector_16.hpp"

namespace carat::cpu_engine::CARAT_ISA {

// Whether partial vectors are loaded and stored as fast as whole ones.
inline constexpr bool has_cheap_masks = false;
inline constexpr bool has_small_vectors = false;

template <class T>
struct vector;

template <>
struct vector<double> : vector_16<double> {
    static type multiply_add(type a, type b, type c) { return vfmaq_f64(c, a, b); }
};

template <>
struct vector<float> : vector_16<float> {
    static type multiply_add(type a, type b, type c) { return vfmaq_f32(c, a, b); }
};

template <>
struct vector<std::uint32_t> : vector_16<std::uint32_t> {
    static type multiply_add(type a, type b, type c) { return vmlaq_u32(c, a, b); }
};

template <class T>
struct tile {
    static constexpr int vectors = 4;
    static constexpr int columns = 6;
    // Always 24 sums, as far as there are tables of as many columns.
    static constexpr int unpacked_vectors = 4;
    static constexpr int unpacked_columns(int of_vectors) {
        return of_vectors == 4 ? 6 : of_vectors == 3 ? 8 : 12;
    }
};

// A third of the code is enough.
template <>
struct tile<std::uint32_t> {
    static constexpr int vectors = 4;
    static constexpr int columns = 4;
    static constexpr int unpacked_vectors = 4;
    static constexpr int unpacked_columns(int) { return 4; }
};

}  // namespace carat::cpu_engine::CARAT_ISA

#define CARAT_TILE_NAME_F64 "gemm_f64_neon_8x6"
#define CARAT_TILE_NAME_F32 "gemm_f32_neon_16x6"
#define CARAT_TILE_NAME_I32 "gemm_i32_neon_16x4"
