// A cache line in one AVX-512 register.
#pragma once

#include <immintrin.h>

namespace carat::cpu_engine::CARAT_ISA {

using cache_line = __m512i;

inline cache_line zero_line() {
    return _mm512_setzero_si512();
}
inline cache_line load_line(const std::byte* in) {
    return _mm512_loadu_si512(in);
}
// The first `count` bytes, and zeros.
inline cache_line load_line(const std::byte* in, std::int64_t count) {
    return _mm512_maskz_loadu_epi8(count >= 64 ? ~__mmask64{0} : (__mmask64{1} << count) - 1, in);
}
inline void store_line(std::byte* out, cache_line x) {
    _mm512_store_si512(out, x);
}
inline void stream_line(std::byte* out, cache_line x) {
    _mm512_stream_si512(reinterpret_cast<__m512i*>(out), x);
}

// What was written past the caches is there before anything that follows.
inline void finish_streams() {
    _mm_sfence();
}

struct tile_rows {
    cache_line at[std::size_t{tile_extent}];
};

// Transposes 16 x 16 words of 32 bits: exchanges pairs of words, then double words, then quarter
// registers.
inline void transpose(tile_rows& t) {
    tile_rows x;
    for (int i = 0; i < 16; i += 2) {
        x.at[i] = _mm512_unpacklo_epi32(t.at[i], t.at[i + 1]);
        x.at[i + 1] = _mm512_unpackhi_epi32(t.at[i], t.at[i + 1]);
    }
    for (int i = 0; i < 16; i += 4) {
        t.at[i] = _mm512_unpacklo_epi64(x.at[i], x.at[i + 2]);
        t.at[i + 1] = _mm512_unpackhi_epi64(x.at[i], x.at[i + 2]);
        t.at[i + 2] = _mm512_unpacklo_epi64(x.at[i + 1], x.at[i + 3]);
        t.at[i + 3] = _mm512_unpackhi_epi64(x.at[i + 1], x.at[i + 3]);
    }
    for (int i = 0; i < 4; ++i) {
        x.at[i] = _mm512_shuffle_i32x4(t.at[i], t.at[i + 4], 0x88);
        x.at[i + 4] = _mm512_shuffle_i32x4(t.at[i], t.at[i + 4], 0xdd);
        x.at[i + 8] = _mm512_shuffle_i32x4(t.at[i + 8], t.at[i + 12], 0x88);
        x.at[i + 12] = _mm512_shuffle_i32x4(t.at[i + 8], t.at[i + 12], 0xdd);
    }
    for (int i = 0; i < 4; ++i) {
        t.at[i] = _mm512_shuffle_i32x4(x.at[i], x.at[i + 8], 0x88);
        t.at[i + 8] = _mm512_shuffle_i32x4(x.at[i], x.at[i + 8], 0xdd);
        t.at[i + 4] = _mm512_shuffle_i32x4(x.at[i + 4], x.at[i + 12], 0x88);
        t.at[i + 12] = _mm512_shuffle_i32x4(x.at[i + 4], x.at[i + 12], 0xdd);
    }
}

template <>
struct group<bf16> {
    using bits = std::uint16_t;
    using order_type = __m512i;
    static constexpr int rows = 2;
    static __m512i order() {
        __m512i index = _mm512_set1_epi32(16 << 16);
        index = _mm512_add_epi32(index, _mm512_mullo_epi32(_mm512_set1_epi32(0x10001), counting()));
        return index;
    }
    static __m512i counting() {
        return _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    }
    static __m512i load(const std::byte* in, std::int64_t row_bytes, __m512i order) {
        const __m256i first = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(in));
        const __m256i second = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(in + row_bytes));
        const __m512i both = _mm512_inserti64x4(_mm512_castsi256_si512(first), second, 1);
        return _mm512_permutexvar_epi16(order, both);
    }
    static __m512i load(const std::byte* in, std::int64_t row_bytes, __m512i order, int extent,
                        std::int64_t k_left) {
        const auto mask = static_cast<__mmask16>((1u << extent) - 1u);
        const __m256i first = _mm256_maskz_loadu_epi16(mask, in);
        const __m256i second =
            k_left > 1 ? _mm256_maskz_loadu_epi16(mask, in + row_bytes) : _mm256_setzero_si256();
        const __m512i both = _mm512_inserti64x4(_mm512_castsi256_si512(first), second, 1);
        return _mm512_permutexvar_epi16(order, both);
    }
};

template <>
struct group<std::int8_t> {
    using bits = std::uint8_t;
    using order_type = __m512i;
    static constexpr int rows = 4;
#if defined(__AVX512VBMI__)
    static __m512i order() {
        const __m512i row = _mm512_set1_epi32(0x30201000);
        return _mm512_add_epi32(
            row, _mm512_mullo_epi32(_mm512_set1_epi32(0x01010101), group<bf16>::counting()));
    }
    static __m512i interleaved(__m512i quarters, __m512i order) {
        return _mm512_permutexvar_epi8(order, quarters);
    }
#else
    // Two transpositions of 4 x 4: of words among quarters, then of bytes in each.
    static __m512i order() {
        return _mm512_set_epi32(15, 11, 7, 3, 14, 10, 6, 2, 13, 9, 5, 1, 12, 8, 4, 0);
    }
    static __m512i interleaved(__m512i quarters, __m512i order) {
        const __m512i bytes = _mm512_set4_epi32(0x0f0b0703, 0x0e0a0602, 0x0d090501, 0x0c080400);
        return _mm512_shuffle_epi8(_mm512_permutexvar_epi32(order, quarters), bytes);
    }
#endif
    static __m512i load(const std::byte* in, std::int64_t row_bytes, __m512i order) {
        const auto row = [&](int i) {
            return _mm_loadu_si128(reinterpret_cast<const __m128i*>(in + i * row_bytes));
        };
        __m512i all = _mm512_castsi128_si512(row(0));
        all = _mm512_inserti32x4(all, row(1), 1);
        all = _mm512_inserti32x4(all, row(2), 2);
        all = _mm512_inserti32x4(all, row(3), 3);
        return interleaved(all, order);
    }
    static __m512i load(const std::byte* in, std::int64_t row_bytes, __m512i order, int extent,
                        std::int64_t k_left) {
        const auto mask = static_cast<__mmask16>((1u << extent) - 1u);
        const auto row = [&](int i) {
            return i < k_left ? _mm_maskz_loadu_epi8(mask, in + i * row_bytes)
                              : _mm_setzero_si128();
        };
        __m512i all = _mm512_castsi128_si512(row(0));
        all = _mm512_inserti32x4(all, row(1), 1);
        all = _mm512_inserti32x4(all, row(2), 2);
        all = _mm512_inserti32x4(all, row(3), 3);
        return interleaved(all, order);
    }
};

}  // namespace carat::cpu_engine::CARAT_ISA
