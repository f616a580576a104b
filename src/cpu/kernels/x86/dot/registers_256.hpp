// AVX-VNNI: the same byte products in 16 registers of 32 bytes, on processors without AVX-512.
#pragma once

#include <immintrin.h>

namespace carat::cpu_engine::CARAT_ISA {

template <class A, class B>
struct unit {
    using elements = __m256i;
    using sums = __m256i;
    static constexpr int bytes = 32;
    static constexpr int most_rows = 6;  // of A at a time: 12 sums, 2 of B, 1 of A, and the 128s
    static constexpr int groups = 1;
    static constexpr bool promotes = false;
    static constexpr bool moves_a = std::is_same_v<A, B>;

    static elements elements_at(const std::byte* at) { return load(at); }
    static elements broadcast(const std::byte* group) {
        int bits;
        __builtin_memcpy(&bits, group, sizeof bits);
        return _mm256_set1_epi32(bits);
    }
    static sums zero() { return _mm256_setzero_si256(); }
    static sums load(const std::byte* at) {
        return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
    }
    static void store(std::byte* at, sums c) {
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(at), c);
    }
    static sums subtract(sums x, sums y) { return _mm256_sub_epi32(x, y); }
    static elements moved(elements a) {
        if constexpr (moves_a) return _mm256_xor_si256(a, _mm256_set1_epi8(-128));
        return a;
    }
    // `a` has been shifted.
    static sums add(sums c, elements a, elements b) {
        if constexpr (std::is_signed_v<B>) return _mm256_dpbusd_avx_epi32(c, a, b);
        return _mm256_dpbusd_avx_epi32(c, b, a);
    }
};

}  // namespace carat::cpu_engine::CARAT_ISA
