// The baseline of every architecture: vectors of 16 bytes that the compiler turns into SSE2, NEON
// or scalar code. There is no fused multiply-add, so each product is rounded before it is added.
#pragma once

#include <cstdint>

namespace carat::cpu_engine::CARAT_ISA {

// Whether partial vectors are loaded and stored as fast as whole ones.
inline constexpr bool has_cheap_masks = false;
inline constexpr bool has_small_vectors = false;

template <class T>
struct vector {
    static constexpr int lanes = 16 / static_cast<int>(sizeof(T));
    typedef T type __attribute__((vector_size(16)));

    struct mask {
        int count;
    };

    static mask first(int count) { return {count}; }
    static type zero() { return type{}; }
    static type broadcast(T x) { return x - type{}; }
    static type load(const T* p) {
        type v;
        __builtin_memcpy(&v, p, sizeof v);
        return v;
    }
    static type load(const T* p, mask m) {
        type v{};
        for (int i = 0; i < m.count; ++i) v[i] = p[i];
        return v;
    }
    static void store(T* p, type v) { __builtin_memcpy(p, &v, sizeof v); }
    static void store(T* p, type v, mask m) {
        for (int i = 0; i < m.count; ++i) p[i] = v[i];
    }
    static type multiply(type a, type b) { return a * b; }
    static type multiply_add(type a, type b, type c) { return a * b + c; }
};

template <class V>
inline V kept(V v) {
    return v;
}

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
