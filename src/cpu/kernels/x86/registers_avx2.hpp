// AVX2 and FMA: 16 registers of 32 bytes. 12 sums, two vectors of A and one broadcast leave one
// register free, which compilers need.
#pragma once

#include <immintrin.h>

namespace carat::cpu_engine::CARAT_ISA {

// Ones in the first `count` of 4 or 8 lanes.
inline __m256i first_of_4(int count) {
    return _mm256_cmpgt_epi64(_mm256_set1_epi64x(count), _mm256_setr_epi64x(0, 1, 2, 3));
}
inline __m256i first_of_8(int count) {
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(count), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

// Whether partial vectors are loaded and stored as fast as whole ones.
inline constexpr bool has_cheap_masks = false;

template <>
struct vector<double> {
    using type = __m256d;
    using mask = __m256i;
    static constexpr int lanes = 4;

    static mask first(int count) { return first_of_4(count); }
    static type zero() { return _mm256_setzero_pd(); }
    static type broadcast(double x) { return _mm256_set1_pd(x); }
    static type load(const double* p) { return _mm256_loadu_pd(p); }
    static type load(const double* p, mask m) { return _mm256_maskload_pd(p, m); }
    static void store(double* p, type v) { _mm256_storeu_pd(p, v); }
    static void store(double* p, type v, mask m) {
        const int which = _mm256_movemask_pd(_mm256_castsi256_pd(m));
        const __m128d low = _mm256_castpd256_pd128(v);
        if (which & 2)
            _mm_storeu_pd(p, low);
        else if (which & 1)
            _mm_store_sd(p, low);
        if (which & 4) {
            const __m128d high = _mm256_extractf128_pd(v, 1);
            if (which & 8)
                _mm_storeu_pd(p + 2, high);
            else
                _mm_store_sd(p + 2, high);
        }
    }
    static type multiply(type a, type b) { return _mm256_mul_pd(a, b); }
    static type multiply_add(type a, type b, type c) { return _mm256_fmadd_pd(a, b, c); }
};

template <>
struct vector<float> {
    using type = __m256;
    using mask = __m256i;
    static constexpr int lanes = 8;

    static mask first(int count) { return first_of_8(count); }
    static type zero() { return _mm256_setzero_ps(); }
    static type broadcast(float x) { return _mm256_set1_ps(x); }
    static type load(const float* p) { return _mm256_loadu_ps(p); }
    static type load(const float* p, mask m) { return _mm256_maskload_ps(p, m); }
    static void store(float* p, type v) { _mm256_storeu_ps(p, v); }
    static void store(float* p, type v, mask m) {
        const int which = _mm256_movemask_ps(_mm256_castsi256_ps(m));
        if (which & 128) return store(p, v);
        __m128 part = _mm256_castps256_ps128(v);
        if (which & 8) {
            _mm_storeu_ps(p, part);
            part = _mm256_extractf128_ps(v, 1);
            p += 4;
        }
        const int left = which & 8 ? which >> 4 : which;
        if (left & 2) {
            _mm_storel_pi(reinterpret_cast<__m64*>(p), part);
            part = _mm_movehl_ps(part, part);
            p += 2;
        }
        if (left == 1 || left == 7) _mm_store_ss(p, part);
    }
    static type multiply(type a, type b) { return _mm256_mul_ps(a, b); }
    static type multiply_add(type a, type b, type c) { return _mm256_fmadd_ps(a, b, c); }
};

template <>
struct vector<std::uint32_t> {
    using type = __m256i;
    using mask = __m256i;
    static constexpr int lanes = 8;

    static const int* ints(const std::uint32_t* p) { return reinterpret_cast<const int*>(p); }
    static int* ints(std::uint32_t* p) { return reinterpret_cast<int*>(p); }

    static mask first(int count) { return first_of_8(count); }
    static type zero() { return _mm256_setzero_si256(); }
    static type broadcast(std::uint32_t x) { return _mm256_set1_epi32(static_cast<int>(x)); }
    static type load(const std::uint32_t* p) {
        return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
    }
    static type load(const std::uint32_t* p, mask m) { return _mm256_maskload_epi32(ints(p), m); }
    static void store(std::uint32_t* p, type v) {
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), v);
    }
    static void store(std::uint32_t* p, type v, mask m) { _mm256_maskstore_epi32(ints(p), m, v); }
    static type multiply(type a, type b) { return _mm256_mullo_epi32(a, b); }
    static type multiply_add(type a, type b, type c) {
        return _mm256_add_epi32(c, _mm256_mullo_epi32(a, b));
    }
};

inline constexpr bool has_small_vectors = true;

template <>
struct lanes_of<double, 4> : vector<double> {};

template <>
struct lanes_of<float, 8> : vector<float> {};

template <>
struct lanes_of<float, 4> {
    using type = __m128;
    using mask = __m128i;

    static mask first(int count) {
        return _mm_cmpgt_epi32(_mm_set1_epi32(count), _mm_setr_epi32(0, 1, 2, 3));
    }
    static type zero() { return _mm_setzero_ps(); }
    static type broadcast(float x) { return _mm_set1_ps(x); }
    static type load(const float* p) { return _mm_loadu_ps(p); }
    static type load(const float* p, mask m) { return _mm_maskload_ps(p, m); }
    static void store(float* p, type v) { _mm_storeu_ps(p, v); }
    static void store(float* p, type v, mask m) { _mm_maskstore_ps(p, m, v); }
    static type multiply(type a, type b) { return _mm_mul_ps(a, b); }
    static type multiply_add(type a, type b, type c) { return _mm_fmadd_ps(a, b, c); }
};

// Keeps a value in a register: compilers prefer to reload it for each use, and loads are the
// bottleneck.
template <class V>
inline V kept(V v) {
    __asm__("" : "+x"(v));
    return v;
}

template <class T>
struct tile {
    static constexpr int vectors = 2;
    static constexpr int columns = 6;
    static constexpr int unpacked_vectors = 2;
    static constexpr int unpacked_columns(int of_vectors) { return of_vectors == 2 ? 6 : 8; }
};

// An integer product needs its own register before it is added.
template <>
struct tile<std::uint32_t> {
    static constexpr int vectors = 2;
    static constexpr int columns = 4;
    static constexpr int unpacked_vectors = 2;
    static constexpr int unpacked_columns(int) { return 4; }
};

}  // namespace carat::cpu_engine::CARAT_ISA

#define CARAT_TILE_NAME_F64 "gemm_f64_avx2_8x6"
#define CARAT_TILE_NAME_F32 "gemm_f32_avx2_16x6"
#define CARAT_TILE_NAME_I32 "gemm_i32_avx2_16x4"
