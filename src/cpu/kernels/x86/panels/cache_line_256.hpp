// A cache line in two AVX2 registers, for 8-bit integers: no processor multiplies pairs of bf16
// only in registers of this width.
#pragma once

#include <immintrin.h>

namespace carat::cpu_engine::CARAT_ISA {

struct cache_line {
    __m256i low;
    __m256i high;
};

inline cache_line zero_line() {
    return {_mm256_setzero_si256(), _mm256_setzero_si256()};
}
inline cache_line load_line(const std::byte* in) {
    const auto* at = reinterpret_cast<const __m256i*>(in);
    return {_mm256_loadu_si256(at), _mm256_loadu_si256(at + 1)};
}
// The first `count` bytes, and zeros.
inline cache_line load_line(const std::byte* in, std::int64_t count) {
    if (count >= step_bytes) return load_line(in);
    alignas(32) std::byte copy[std::size_t{step_bytes}] = {};
    __builtin_memcpy(copy, in, static_cast<std::size_t>(count));
    return load_line(copy);
}
inline void store_line(std::byte* out, cache_line x) {
    auto* at = reinterpret_cast<__m256i*>(out);
    _mm256_store_si256(at, x.low);
    _mm256_store_si256(at + 1, x.high);
}
inline void stream_line(std::byte* out, cache_line x) {
    auto* at = reinterpret_cast<__m256i*>(out);
    _mm256_stream_si256(at, x.low);
    _mm256_stream_si256(at + 1, x.high);
}

// What was written past the caches is there before anything that follows.
inline void finish_streams() {
    _mm_sfence();
}

struct tile_rows {
    cache_line at[std::size_t{tile_extent}];
};

// Transposes 8 x 8 words of 32 bits: exchanges pairs of words, then double words, then halves.
inline void transpose(__m256i (&t)[8]) {
    __m256i x[8];
    for (int i = 0; i < 8; i += 2) {
        x[i] = _mm256_unpacklo_epi32(t[i], t[i + 1]);
        x[i + 1] = _mm256_unpackhi_epi32(t[i], t[i + 1]);
    }
    for (int i = 0; i < 8; i += 4) {
        t[i] = _mm256_unpacklo_epi64(x[i], x[i + 2]);
        t[i + 1] = _mm256_unpackhi_epi64(x[i], x[i + 2]);
        t[i + 2] = _mm256_unpacklo_epi64(x[i + 1], x[i + 3]);
        t[i + 3] = _mm256_unpackhi_epi64(x[i + 1], x[i + 3]);
    }
    for (int i = 0; i < 4; ++i) {
        x[i] = _mm256_permute2x128_si256(t[i], t[i + 4], 0x20);
        x[i + 4] = _mm256_permute2x128_si256(t[i], t[i + 4], 0x31);
    }
    for (int i = 0; i < 8; ++i) t[i] = x[i];
}

// Transposes 16 x 16 words of 32 bits by quarters, two of which are exchanged.
inline void transpose(tile_rows& t) {
    __m256i upper[8];
    __m256i lower[8];
    for (int i = 0; i < 8; ++i) upper[i] = t.at[i].low;
    transpose(upper);
    for (int i = 0; i < 8; ++i) t.at[i].low = upper[i];
    for (int i = 0; i < 8; ++i) lower[i] = t.at[i + 8].high;
    transpose(lower);
    for (int i = 0; i < 8; ++i) t.at[i + 8].high = lower[i];
    for (int i = 0; i < 8; ++i) upper[i] = t.at[i].high;
    for (int i = 0; i < 8; ++i) lower[i] = t.at[i + 8].low;
    transpose(upper);
    transpose(lower);
    for (int i = 0; i < 8; ++i) t.at[i].high = lower[i];
    for (int i = 0; i < 8; ++i) t.at[i + 8].low = upper[i];
}

template <>
struct group<std::int8_t> {
    using bits = std::uint8_t;
    struct order_type {};  // interleaving takes no table
    static constexpr int rows = 4;

    static order_type order() { return {}; }
    static cache_line interleaved(__m128i a, __m128i b, __m128i c, __m128i d) {
        const __m128i first_low = _mm_unpacklo_epi8(a, b);
        const __m128i first_high = _mm_unpackhi_epi8(a, b);
        const __m128i last_low = _mm_unpacklo_epi8(c, d);
        const __m128i last_high = _mm_unpackhi_epi8(c, d);
        return {_mm256_set_m128i(_mm_unpackhi_epi16(first_low, last_low),
                                 _mm_unpacklo_epi16(first_low, last_low)),
                _mm256_set_m128i(_mm_unpackhi_epi16(first_high, last_high),
                                 _mm_unpacklo_epi16(first_high, last_high))};
    }
    static cache_line load(const std::byte* in, std::int64_t row_bytes, order_type) {
        const auto row = [&](int i) {
            return _mm_loadu_si128(reinterpret_cast<const __m128i*>(in + i * row_bytes));
        };
        return interleaved(row(0), row(1), row(2), row(3));
    }
    static cache_line load(const std::byte* in, std::int64_t row_bytes, order_type, int extent,
                           std::int64_t k_left) {
        const auto row = [&](int i) {
            alignas(16) std::byte copy[16] = {};
            if (i < k_left) __builtin_memcpy(copy, in + i * row_bytes, std::size_t(extent));
            return _mm_load_si128(reinterpret_cast<const __m128i*>(copy));
        };
        return interleaved(row(0), row(1), row(2), row(3));
    }
};

}  // namespace carat::cpu_engine::CARAT_ISA
