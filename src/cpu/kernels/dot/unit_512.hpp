// VNNI and AVX512_BF16 in registers of 64 bytes, of which there are 32.
#pragma once

#include <immintrin.h>

namespace carat::cpu_engine::CARAT_ISA {

struct unit_512 {
    using elements = __m512i;
    static constexpr int bytes = 64;
    static constexpr int most_lines = 11;  // of A at a time

    static elements elements_at(const std::byte* at) { return _mm512_loadu_si512(at); }
    static elements broadcast(const std::byte* group) {
        int bits;
        __builtin_memcpy(&bits, group, sizeof bits);
        return _mm512_set1_epi32(bits);
    }
};

template <class A, class B>
struct unit : unit_512 {
    using sums = __m512i;
    static constexpr bool moves_a = std::is_same_v<A, B>;

    static sums zero() { return _mm512_setzero_si512(); }
    static sums load(const std::byte* at) { return _mm512_loadu_si512(at); }
    static void store(std::byte* at, sums c) { _mm512_storeu_si512(at, c); }
    static sums subtract(sums x, sums y) { return _mm512_sub_epi32(x, y); }
    static elements moved(elements a) {
        if constexpr (moves_a) return _mm512_xor_si512(a, _mm512_set1_epi8(-128));
        return a;
    }
    // `a` has been moved.
    static sums add(sums c, elements a, elements b) {
        if constexpr (std::is_signed_v<B>) return _mm512_dpbusd_epi32(c, a, b);
        return _mm512_dpbusd_epi32(c, b, a);
    }
};

template <>
struct unit<bf16, bf16> : unit_512 {
    using sums = __m512;
    static constexpr bool moves_a = false;

    static sums zero() { return _mm512_setzero_ps(); }
    static sums load(const std::byte* at) { return _mm512_loadu_ps(at); }
    static void store(std::byte* at, sums c) { _mm512_storeu_ps(at, c); }
    static elements moved(elements a) { return a; }
    static sums add(sums c, elements a, elements b) {
        return _mm512_dpbf16_ps(c, __builtin_bit_cast(__m512bh, a),
                                __builtin_bit_cast(__m512bh, b));
    }
};

}  // namespace carat::cpu_engine::CARAT_ISA
