// A cache line in four NEON registers.
#pragma once

#include <arm_neon.h>

namespace carat::cpu_engine::CARAT_ISA {

struct cache_line {
    uint32x4_t at[4];
};

inline cache_line zero_line() {
    return {{vdupq_n_u32(0), vdupq_n_u32(0), vdupq_n_u32(0), vdupq_n_u32(0)}};
}
inline cache_line load_line(const std::byte* in) {
    cache_line x;
    __builtin_memcpy(&x, in, sizeof x);
    return x;
}
// The first `count` bytes, and zeros.
inline cache_line load_line(const std::byte* in, std::int64_t count) {
    if (count >= step_bytes) return load_line(in);
    std::byte copy[std::size_t{step_bytes}] = {};
    __builtin_memcpy(copy, in, static_cast<std::size_t>(count));
    return load_line(copy);
}
inline void store_line(std::byte* out, const cache_line& x) {
    __builtin_memcpy(out, &x, sizeof x);
}
// This goes through the caches: compilers agree on no store past them.
inline void stream_line(std::byte* out, const cache_line& x) {
    store_line(out, x);
}
inline void finish_streams() {}

struct tile_rows {
    cache_line at[std::size_t{tile_extent}];
};

// Transposes 4 x 4 words of 32 bits: exchanges pairs of words, then double words.
inline void transpose(uint32x4_t (&t)[4]) {
    const auto low = [](uint32x4_t a, uint32x4_t b) {
        return vreinterpretq_u32_u64(
            vzip1q_u64(vreinterpretq_u64_u32(a), vreinterpretq_u64_u32(b)));
    };
    const auto high = [](uint32x4_t a, uint32x4_t b) {
        return vreinterpretq_u32_u64(
            vzip2q_u64(vreinterpretq_u64_u32(a), vreinterpretq_u64_u32(b)));
    };
    const uint32x4_t even_upper = vtrn1q_u32(t[0], t[1]);
    const uint32x4_t odd_upper = vtrn2q_u32(t[0], t[1]);
    const uint32x4_t even_lower = vtrn1q_u32(t[2], t[3]);
    const uint32x4_t odd_lower = vtrn2q_u32(t[2], t[3]);
    t[0] = low(even_upper, even_lower);
    t[1] = low(odd_upper, odd_lower);
    t[2] = high(even_upper, even_lower);
    t[3] = high(odd_upper, odd_lower);
}

// Transposes 16 x 16 words of 32 bits by squares of four, which change places.
inline void transpose(tile_rows& t) {
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j <= i; ++j) {
            uint32x4_t lower[4];
            uint32x4_t upper[4];
            for (int r = 0; r < 4; ++r) {
                lower[r] = t.at[4 * i + r].at[j];
                upper[r] = t.at[4 * j + r].at[i];
            }
            transpose(lower);
            transpose(upper);
            for (int r = 0; r < 4; ++r) {
                t.at[4 * i + r].at[j] = upper[r];
                t.at[4 * j + r].at[i] = lower[r];
            }
        }
}

// Rows of 16 elements that lie row_bytes apart; of the last ones perhaps only some exist.
template <int Bytes>
struct rows_of_16 {
    uint8x16_t at[std::size_t{Bytes / 16}];
};
template <int Bytes>
inline rows_of_16<Bytes> load_row(const std::byte* in, std::size_t bytes = std::size_t{Bytes}) {
    rows_of_16<Bytes> row{};
    if (bytes == std::size_t{Bytes}) {
        __builtin_memcpy(&row, in, sizeof row);
    } else {
        __builtin_memcpy(&row, in, bytes);
    }
    return row;
}

template <>
struct group<bf16> {
    using bits = std::uint16_t;
    struct order_type {};  // interleaving takes no table
    static constexpr int rows = 2;
    using row = rows_of_16<32>;

    static order_type order() { return {}; }
    static cache_line interleaved(const row& x, const row& y) {
        cache_line made;
        for (int half = 0; half < 2; ++half) {
            const uint16x8_t a = vreinterpretq_u16_u8(x.at[half]);
            const uint16x8_t b = vreinterpretq_u16_u8(y.at[half]);
            made.at[2 * half] = vreinterpretq_u32_u16(vzip1q_u16(a, b));
            made.at[2 * half + 1] = vreinterpretq_u32_u16(vzip2q_u16(a, b));
        }
        return made;
    }
    static cache_line load(const std::byte* in, std::int64_t row_bytes, order_type) {
        return interleaved(load_row<32>(in), load_row<32>(in + row_bytes));
    }
    static cache_line load(const std::byte* in, std::int64_t row_bytes, order_type, int extent,
                           std::int64_t k_left) {
        const auto bytes = static_cast<std::size_t>(2 * extent);
        return interleaved(load_row<32>(in, bytes),
                           k_left > 1 ? load_row<32>(in + row_bytes, bytes) : row{});
    }
};

template <>
struct group<std::int8_t> {
    using bits = std::uint8_t;
    struct order_type {};
    static constexpr int rows = 4;

    static order_type order() { return {}; }
    static cache_line interleaved(uint8x16_t a, uint8x16_t b, uint8x16_t c, uint8x16_t d) {
        const auto words = [](uint8x16_t x, uint8x16_t y, std::size_t half, cache_line& made) {
            const uint16x8_t p = vreinterpretq_u16_u8(x);
            const uint16x8_t q = vreinterpretq_u16_u8(y);
            made.at[2 * half] = vreinterpretq_u32_u16(vzip1q_u16(p, q));
            made.at[2 * half + 1] = vreinterpretq_u32_u16(vzip2q_u16(p, q));
        };
        cache_line made;
        words(vzip1q_u8(a, b), vzip1q_u8(c, d), 0, made);
        words(vzip2q_u8(a, b), vzip2q_u8(c, d), 1, made);
        return made;
    }
    static cache_line load(const std::byte* in, std::int64_t row_bytes, order_type) {
        const auto row = [&](int i) { return load_row<16>(in + i * row_bytes).at[0]; };
        return interleaved(row(0), row(1), row(2), row(3));
    }
    static cache_line load(const std::byte* in, std::int64_t row_bytes, order_type, int extent,
                           std::int64_t k_left) {
        const auto row = [&](int i) {
            return i < k_left
                       ? load_row<16>(in + i * row_bytes, static_cast<std::size_t>(extent)).at[0]
                       : vdupq_n_u8(0);
        };
        return interleaved(row(0), row(1), row(2), row(3));
    }
};

}  // namespace carat::cpu_engine::CARAT_ISA
