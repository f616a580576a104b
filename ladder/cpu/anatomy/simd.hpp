// One vector type for all instruction sets: vec<T> is as wide as the level this file is compiled
// for, and there are four things to do with it. The multiply-add is spelled out because the
// project forbids the compiler to contract a * b + c by itself (-ffp-contract=off).
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__AVX2__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#define CARAT_INLINE [[gnu::always_inline]] inline

namespace carat::ladder::cpu::CARAT_ISA {

#if defined(__AVX512F__)
inline constexpr std::int64_t vector_bytes = 64;
#elif defined(__AVX2__)
inline constexpr std::int64_t vector_bytes = 32;
#else
inline constexpr std::int64_t vector_bytes = 16;  // SSE2, NEON
#endif

template <class T>
struct vector_types {
    using aligned [[gnu::vector_size(vector_bytes)]] = T;
    using anywhere [[gnu::vector_size(vector_bytes), gnu::aligned(alignof(T)), gnu::may_alias]] = T;
};
template <class T>
using vec = typename vector_types<T>::aligned;

template <class T>
inline constexpr std::int64_t lanes = vector_bytes / std::int64_t{sizeof(T)};

template <class T>
CARAT_INLINE vec<T> load(const T* from) {
    return *reinterpret_cast<const typename vector_types<T>::anywhere*>(from);
}

template <class T>
CARAT_INLINE void store(T* to, vec<T> value) {
    *reinterpret_cast<typename vector_types<T>::anywhere*>(to) = value;
}

template <class T>
CARAT_INLINE vec<T> broadcast(T value) {
    return value - vec<T>{};  // x - 0 is x for every x, -0 and NaN included
}

// a * b + c, rounded once where the level can.
CARAT_INLINE vec<double> multiply_add(vec<double> a, vec<double> b, vec<double> c) {
#if defined(__AVX512F__)
    return _mm512_fmadd_pd(a, b, c);
#elif defined(__FMA__)
    return _mm256_fmadd_pd(a, b, c);
#elif defined(__aarch64__)
    return vfmaq_f64(c, a, b);
#else
    return a * b + c;
#endif
}

CARAT_INLINE vec<float> multiply_add(vec<float> a, vec<float> b, vec<float> c) {
#if defined(__AVX512F__)
    return _mm512_fmadd_ps(a, b, c);
#elif defined(__FMA__)
    return _mm256_fmadd_ps(a, b, c);
#elif defined(__aarch64__)
    return vfmaq_f32(c, a, b);
#else
    return a * b + c;
#endif
}

}  // namespace carat::ladder::cpu::CARAT_ISA
