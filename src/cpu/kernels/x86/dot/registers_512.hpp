// VNNI and AVX512_BF16 in 32 registers of 64 bytes.
#pragma once

#include <immintrin.h>

namespace carat::cpu_engine::CARAT_ISA {

struct unit_512 {
    using elements = __m512i;
    static constexpr int bytes = 64;
    static constexpr int most_rows = 11;  // of A at a time
    static constexpr int groups = 1;
    static constexpr bool promotes = false;

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
    // `a` has been shifted.
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

#if defined(__AVX512FP16__)

// There are no products of pairs: each half of a word has its own f16 sum, of even or of odd k.
// After the products of steps_at_once steps they are added to f32 sums, still separately.
template <>
struct unit<f16, f16> : unit_512 {
    using sums = __m512h;
    struct wide_sums {
        __m512 low;  // of 8 columns, even and odd in turn
        __m512 high;
    };
    static constexpr bool moves_a = false;
    static constexpr bool promotes = true;
    // 32 products. With 16 they were a seventh slower and two thirds as far off, with 64 a tenth
    // faster and half as far off again.
    static constexpr int steps_at_once = 2;

    static sums zero() { return _mm512_setzero_ph(); }
    static wide_sums wide_zero() { return {_mm512_setzero_ps(), _mm512_setzero_ps()}; }
    static elements moved(elements a) { return a; }
    static sums add(sums c, elements a, elements b) {
        return _mm512_fmadd_ph(_mm512_castsi512_ph(a), _mm512_castsi512_ph(b), c);
    }
    static void promote(wide_sums& to, sums c) {
        const __m512i bits = _mm512_castph_si512(c);
        const __m512 low = _mm512_cvtph_ps(_mm512_castsi512_si256(bits));
        const __m512 high = _mm512_cvtph_ps(_mm512_extracti64x4_epi64(bits, 1));
        to.low = _mm512_add_ps(to.low, low);
        to.high = _mm512_add_ps(to.high, high);
    }
    // Adds even and odd sums, and `before` unless it is null.
    static void store_total(std::byte* at, const wide_sums& of, const std::byte* before) {
        const __m512i even =
            _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
        const __m512i odd = _mm512_add_epi32(even, _mm512_set1_epi32(1));
        __m512 total = _mm512_add_ps(_mm512_permutex2var_ps(of.low, even, of.high),
                                     _mm512_permutex2var_ps(of.low, odd, of.high));
        if (before != nullptr) total = _mm512_add_ps(total, _mm512_loadu_ps(before));
        _mm512_storeu_ps(at, total);
    }
};

#endif

}  // namespace carat::cpu_engine::CARAT_ISA
