// AVX-512: 32 registers of 64 bytes, and masks that make a ragged edge as cheap as a full vector.
// 24 sums of 32 registers, with 3 loads and 8 broadcasts for 24 multiply-adds: among all tiles that
// fit, the fewest loads per multiply-add.
#pragma once

#include <immintrin.h>

namespace carat::cpu_engine::CARAT_ISA {

// Whether partial vectors are loaded and stored as fast as whole ones.
inline constexpr bool has_cheap_masks = true;

template <>
struct vector<double> {
    using type = __m512d;
    using mask = __mmask8;
    static constexpr int lanes = 8;

    static mask first(int count) { return static_cast<mask>((1u << count) - 1u); }
    static type zero() { return _mm512_setzero_pd(); }
    static type broadcast(double x) { return _mm512_set1_pd(x); }
    static type load(const double* p) { return _mm512_loadu_pd(p); }
    static type load(const double* p, mask m) { return _mm512_maskz_loadu_pd(m, p); }
    static void store(double* p, type v) { _mm512_storeu_pd(p, v); }
    static void store(double* p, type v, mask m) { _mm512_mask_storeu_pd(p, m, v); }
    static type multiply(type a, type b) { return _mm512_mul_pd(a, b); }
    static type multiply_add(type a, type b, type c) { return _mm512_fmadd_pd(a, b, c); }
};

template <>
struct vector<float> {
    using type = __m512;
    using mask = __mmask16;
    static constexpr int lanes = 16;

    static mask first(int count) { return static_cast<mask>((1u << count) - 1u); }
    static type zero() { return _mm512_setzero_ps(); }
    static type broadcast(float x) { return _mm512_set1_ps(x); }
    static type load(const float* p) { return _mm512_loadu_ps(p); }
    static type load(const float* p, mask m) { return _mm512_maskz_loadu_ps(m, p); }
    static void store(float* p, type v) { _mm512_storeu_ps(p, v); }
    static void store(float* p, type v, mask m) { _mm512_mask_storeu_ps(p, m, v); }
    static type multiply(type a, type b) { return _mm512_mul_ps(a, b); }
    static type multiply_add(type a, type b, type c) { return _mm512_fmadd_ps(a, b, c); }
};

template <>
struct vector<std::uint32_t> {
    using type = __m512i;
    using mask = __mmask16;
    static constexpr int lanes = 16;

    static mask first(int count) { return static_cast<mask>((1u << count) - 1u); }
    static type zero() { return _mm512_setzero_si512(); }
    static type broadcast(std::uint32_t x) { return _mm512_set1_epi32(static_cast<int>(x)); }
    static type load(const std::uint32_t* p) { return _mm512_loadu_si512(p); }
    static type load(const std::uint32_t* p, mask m) { return _mm512_maskz_loadu_epi32(m, p); }
    static void store(std::uint32_t* p, type v) { _mm512_storeu_si512(p, v); }
    static void store(std::uint32_t* p, type v, mask m) { _mm512_mask_storeu_epi32(p, m, v); }
    static type multiply(type a, type b) { return _mm512_mullo_epi32(a, b); }
    static type multiply_add(type a, type b, type c) {
        return _mm512_add_epi32(c, _mm512_mullo_epi32(a, b));
    }
};

inline constexpr bool has_small_vectors = true;

template <>
struct lanes_of<double, 8> : vector<double> {};

template <>
struct lanes_of<double, 4> {
    using type = __m256d;
    using mask = __mmask8;

    static mask first(int count) { return static_cast<mask>((1u << count) - 1u); }
    static type zero() { return _mm256_setzero_pd(); }
    static type broadcast(double x) { return _mm256_set1_pd(x); }
    static type load(const double* p) { return _mm256_loadu_pd(p); }
    static type load(const double* p, mask m) { return _mm256_maskz_loadu_pd(m, p); }
    static void store(double* p, type v) { _mm256_storeu_pd(p, v); }
    static void store(double* p, type v, mask m) { _mm256_mask_storeu_pd(p, m, v); }
    static type multiply(type a, type b) { return _mm256_mul_pd(a, b); }
    static type multiply_add(type a, type b, type c) { return _mm256_fmadd_pd(a, b, c); }
};

template <>
struct lanes_of<float, 8> {
    using type = __m256;
    using mask = __mmask8;

    static mask first(int count) { return static_cast<mask>((1u << count) - 1u); }
    static type zero() { return _mm256_setzero_ps(); }
    static type broadcast(float x) { return _mm256_set1_ps(x); }
    static type load(const float* p) { return _mm256_loadu_ps(p); }
    static type load(const float* p, mask m) { return _mm256_maskz_loadu_ps(m, p); }
    static void store(float* p, type v) { _mm256_storeu_ps(p, v); }
    static void store(float* p, type v, mask m) { _mm256_mask_storeu_ps(p, m, v); }
    static type multiply(type a, type b) { return _mm256_mul_ps(a, b); }
    static type multiply_add(type a, type b, type c) { return _mm256_fmadd_ps(a, b, c); }
};

template <>
struct lanes_of<float, 4> {
    using type = __m128;
    using mask = __mmask8;

    static mask first(int count) { return static_cast<mask>((1u << count) - 1u); }
    static type zero() { return _mm_setzero_ps(); }
    static type broadcast(float x) { return _mm_set1_ps(x); }
    static type load(const float* p) { return _mm_loadu_ps(p); }
    static type load(const float* p, mask m) { return _mm_maskz_loadu_ps(m, p); }
    static void store(float* p, type v) { _mm_storeu_ps(p, v); }
    static void store(float* p, type v, mask m) { _mm_mask_storeu_ps(p, m, v); }
    static type multiply(type a, type b) { return _mm_mul_ps(a, b); }
    static type multiply_add(type a, type b, type c) { return _mm_fmadd_ps(a, b, c); }
};

// Keeps a value in a register: compilers prefer to reload it for each use, and loads are the
// bottleneck.
template <class V>
inline V kept(V v) {
    __asm__("" : "+v"(v));
    return v;
}

template <class T>
struct tile {
    static constexpr int vectors = 3;
    static constexpr int columns = 8;
    // Always 24 sums, as far as there are registers for addresses.
    static constexpr int unpacked_vectors = 4;
    static constexpr int unpacked_columns(int of_vectors) {
        return of_vectors == 4 ? 6 : of_vectors == 3 ? 8 : 12;
    }
};

// An integer product takes two issue slots where a multiply-add takes one, so there is time for
// more loads, and a third of the code is enough.
template <>
struct tile<std::uint32_t> {
    static constexpr int vectors = 2;
    static constexpr int columns = 4;
    static constexpr int unpacked_vectors = 2;
    static constexpr int unpacked_columns(int) { return 4; }
};

}  // namespace carat::cpu_engine::CARAT_ISA

#define CARAT_TILE_NAME_F64 "gemm_f64_avx512_24x8"
#define CARAT_TILE_NAME_F32 "gemm_f32_avx512_48x8"
#define CARAT_TILE_NAME_I32 "gemm_i32_avx512_32x4"
