// Vectors of 16 bytes in the compiler's own notation, which becomes SSE2, NEON or scalar code.
#pragma once

#include <cstdint>

namespace carat::cpu_engine::CARAT_ISA {

template <class T>
struct vector_16 {
    static constexpr int lanes = 16 / static_cast<int>(sizeof(T));
    typedef T type __attribute__((vector_size(16)));
    typedef std::uint64_t words __attribute__((vector_size(16)));

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
    // At most half of a vector at a time, and no more than the first `count` elements.
    static type load(const T* p, mask m) {
        if (m.count >= lanes) return load(p);
        type v{};
        if (2 * m.count >= lanes) {
            std::uint64_t half;
            __builtin_memcpy(&half, p, sizeof half);
            v = reinterpret_cast<type>(words{half, 0});
        }
        if constexpr (lanes == 4) {
            if (m.count == 1) v[0] = p[0];
            if (m.count == 3) v[2] = p[2];
        }
        return v;
    }
    static void store(T* p, type v) { __builtin_memcpy(p, &v, sizeof v); }
    static void store(T* p, type v, mask m) {
        if (m.count >= lanes) return store(p, v);
        if (2 * m.count >= lanes) {
            const std::uint64_t half = reinterpret_cast<words>(v)[0];
            __builtin_memcpy(p, &half, sizeof half);
        }
        if constexpr (lanes == 4) {
            if (m.count == 1) p[0] = v[0];
            if (m.count == 3) p[2] = v[2];
        }
    }
    static type multiply(type a, type b) { return a * b; }
};

template <class V>
inline V kept(V v) {
    return v;
}

}  // namespace carat::cpu_engine::CARAT_ISA
