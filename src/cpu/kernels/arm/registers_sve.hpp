// SVE for one length of vectors, which the compiler is told: 32 registers, and predicates that make
// a ragged edge as cheap as a full vector. The template's arrays of registers need a size, so code
// for vectors of any length is beyond it; lengths of 32 and 64 bytes are all that processors have
// beside 16, where NEON has vectors as long.
#pragma once

#include <arm_sve.h>
#include <cstdint>

namespace carat::cpu_engine::CARAT_ISA {

inline constexpr int sve_bytes = __ARM_FEATURE_SVE_BITS / 8;

typedef svbool_t predicate __attribute__((arm_sve_vector_bits(__ARM_FEATURE_SVE_BITS)));

// Whether partial vectors are loaded and stored as fast as whole ones.
inline constexpr bool has_cheap_masks = true;
inline constexpr bool has_small_vectors = false;

// What is the same for every type.
template <class T>
struct vector_sve {
    static constexpr int lanes = sve_bytes / static_cast<int>(sizeof(T));
    typedef T type __attribute__((vector_size(sve_bytes)));
    using mask = predicate;

    static type zero() { return type{}; }
    static type load(const T* p) {
        type v;
        __builtin_memcpy(&v, p, sizeof v);
        return v;
    }
    static void store(T* p, type v) { __builtin_memcpy(p, &v, sizeof v); }
    static type multiply(type a, type b) { return a * b; }
};

template <>
struct vector<double> : vector_sve<double> {
    using vector_sve<double>::load;
    using vector_sve<double>::store;
    static mask first(int count) { return svwhilelt_b64(0, count); }
    static type broadcast(double x) { return svdup_f64(x); }
    static type load(const double* p, mask m) { return svld1(m, p); }
    static void store(double* p, type v, mask m) { svst1(m, p, svfloat64_t(v)); }
    static type multiply_add(type a, type b, type c) {
        return svmla_x(svptrue_b64(), svfloat64_t(c), svfloat64_t(a), svfloat64_t(b));
    }
};

template <>
struct vector<float> : vector_sve<float> {
    using vector_sve<float>::load;
    using vector_sve<float>::store;
    static mask first(int count) { return svwhilelt_b32(0, count); }
    static type broadcast(float x) { return svdup_f32(x); }
    static type load(const float* p, mask m) { return svld1(m, p); }
    static void store(float* p, type v, mask m) { svst1(m, p, svfloat32_t(v)); }
    static type multiply_add(type a, type b, type c) {
        return svmla_x(svptrue_b32(), svfloat32_t(c), svfloat32_t(a), svfloat32_t(b));
    }
};

template <>
struct vector<std::uint32_t> : vector_sve<std::uint32_t> {
    using vector_sve<std::uint32_t>::load;
    using vector_sve<std::uint32_t>::store;
    static mask first(int count) { return svwhilelt_b32(0, count); }
    static type broadcast(std::uint32_t x) { return svdup_u32(x); }
    static type load(const std::uint32_t* p, mask m) { return svld1(m, p); }
    static void store(std::uint32_t* p, type v, mask m) { svst1(m, p, svuint32_t(v)); }
    static type multiply_add(type a, type b, type c) {
        return svmla_x(svptrue_b32(), svuint32_t(c), svuint32_t(a), svuint32_t(b));
    }
};

// Keeps a value in a register.
template <class V>
inline V kept(V v) {
    __asm__("" : "+w"(v));
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

// A third of the code is enough.
template <>
struct tile<std::uint32_t> {
    static constexpr int vectors = 2;
    static constexpr int columns = 4;
    static constexpr int unpacked_vectors = 2;
    static constexpr int unpacked_columns(int) { return 4; }
};

}  // namespace carat::cpu_engine::CARAT_ISA

#if __ARM_FEATURE_SVE_BITS == 256
#define CARAT_TILE_NAME_F64 "gemm_f64_sve256_12x8"
#define CARAT_TILE_NAME_F32 "gemm_f32_sve256_24x8"
#define CARAT_TILE_NAME_I32 "gemm_i32_sve256_16x4"
#else
#define CARAT_TILE_NAME_F64 "gemm_f64_sve512_24x8"
#define CARAT_TILE_NAME_F32 "gemm_f32_sve512_48x8"
#define CARAT_TILE_NAME_I32 "gemm_i32_sve512_32x4"
#endif
