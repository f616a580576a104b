// Tiles multiplied by matrix instructions (SMMLA, UMMLA, USMMLA, BFMMLA). One of them multiplies 2
// lines of A by 2 columns of B over 8 bytes of k and adds to 2 x 2 sums in a register.
//
//                      b[0]  ...  b[3]      in a register 2 columns each, 8 bytes of k of each
//   a[0], 2 lines    | c00   ...            16 registers of sums, 8 of A (16 bytes of k of 8 lines,
//   ...              | ...                  interleaved as they are loaded) and 4 of B
//   a[3]             | ...
//
// A tile of B is packed like one for dot products; then the lines of two neighbouring groups are
// interleaved, which puts 8 bytes of k of each column side by side.
#pragma once

#include <arm_neon.h>
#include <type_traits>
#include <utility>

#include <carat/types.hpp>

#include "cpu/kernels/panels/pack.hpp"
#include "cpu/kernels/panels/stream.hpp"
#include "cpu/kernels/vector/unroll.hpp"

namespace carat::cpu_engine::CARAT_ISA {

inline constexpr int pairs_at_once = 4;  // of lines, and of columns
inline constexpr int columns_at_once = 2 * pairs_at_once;
inline constexpr int octet_bytes = 8;
inline constexpr int sum_bytes = 4;

inline uint64x2_t load_doubles(const std::byte* at) {
    return vld1q_u64(reinterpret_cast<const std::uint64_t*>(at));
}

// Integer sums are modulo 2^32, so one type serves both signednesses.
template <class A, class B>
struct matrix_unit {
    using sums = uint32x4_t;
    // Exchanging the operands transposes the sums.
    static constexpr bool transposes = std::is_signed_v<A> && std::is_unsigned_v<B>;

    static sums add(sums c, uint64x2_t a, uint64x2_t b) {
        const auto x = vreinterpretq_u8_u64(a);
        const auto y = vreinterpretq_u8_u64(b);
        const auto of = vreinterpretq_s32_u32(c);
        if constexpr (std::is_unsigned_v<A> && std::is_unsigned_v<B>)
            return vmmlaq_u32(c, x, y);
        else if constexpr (std::is_unsigned_v<A>)
            return vreinterpretq_u32_s32(vusmmlaq_s32(of, x, vreinterpretq_s8_u8(y)));
        else if constexpr (std::is_unsigned_v<B>)
            return vreinterpretq_u32_s32(vusmmlaq_s32(of, y, vreinterpretq_s8_u8(x)));
        else
            return vreinterpretq_u32_s32(
                vmmlaq_s32(of, vreinterpretq_s8_u8(x), vreinterpretq_s8_u8(y)));
    }
};

// Each addition rounds to odd, whatever the thread's mode, and subnormals are zeros; see
// docs/adr/0142-arm.md for what this means for the error bound.
template <>
struct matrix_unit<bf16, bf16> {
    using sums = uint32x4_t;
    static constexpr bool transposes = false;

    static sums add(sums c, uint64x2_t a, uint64x2_t b) {
        return vreinterpretq_u32_f32(vbfmmlaq_f32(
            vreinterpretq_f32_u32(c), vreinterpretq_bf16_u64(a), vreinterpretq_bf16_u64(b)));
    }
};

inline uint32x4_t low_doubles(uint32x4_t x, uint32x4_t y) {
    return vreinterpretq_u32_u64(vzip1q_u64(vreinterpretq_u64_u32(x), vreinterpretq_u64_u32(y)));
}
inline uint32x4_t high_doubles(uint32x4_t x, uint32x4_t y) {
    return vreinterpretq_u32_u64(vzip2q_u64(vreinterpretq_u64_u32(x), vreinterpretq_u64_u32(y)));
}

// The sums of a pair of lines and two pairs of columns, from or to two lines of four.
struct two_registers {
    uint32x4_t first;
    uint32x4_t second;
};
template <class Unit>
inline two_registers from_lines(uint32x4_t x, uint32x4_t y) {
    if constexpr (Unit::transposes) return {vzip1q_u32(x, y), vzip2q_u32(x, y)};
    return {low_doubles(x, y), high_doubles(x, y)};
}
template <class Unit>
inline two_registers to_lines(uint32x4_t x, uint32x4_t y) {
    if constexpr (Unit::transposes) return {vuzp1q_u32(x, y), vuzp2q_u32(x, y)};
    return {low_doubles(x, y), high_doubles(x, y)};
}

template <int Pairs>
using pair_sums = uint32x4_t[std::size_t{Pairs}][std::size_t{pairs_at_once}];

// 8 bytes of k: two lines of a tile of B.
template <class Unit, int Pairs>
inline void add_octet(pair_sums<Pairs>& c, const uint64x2_t (&a)[std::size_t{Pairs}],
                      const std::byte* b) {
    CARAT_UNROLL for (int j = 0; j < pairs_at_once; ++j) {
        const uint64x2_t of_b = load_doubles(b + j * 2 * octet_bytes);
        CARAT_UNROLL for (int i = 0; i < Pairs; ++i) c[i][j] = Unit::add(c[i][j], a[i], of_b);
    }
}

// 64 bytes of k.
template <class Unit, int Pairs>
inline void add_step(pair_sums<Pairs>& c, const std::byte* a, std::int64_t a_line,
                     const std::byte* b) {
    for (int at = 0; at < step_bytes; at += 2 * octet_bytes, b += 4 * step_bytes) {
        uint64x2_t low[std::size_t{Pairs}];
        uint64x2_t high[std::size_t{Pairs}];
        CARAT_UNROLL for (int i = 0; i < Pairs; ++i) {
            const uint64x2_t x = load_doubles(a + 2 * i * a_line + at);
            const uint64x2_t y = load_doubles(a + (2 * i + 1) * a_line + at);
            low[i] = vzip1q_u64(x, y);
            high[i] = vzip2q_u64(x, y);
        }
        add_octet<Unit, Pairs>(c, low, b);
        add_octet<Unit, Pairs>(c, high, b + 2 * step_bytes);
    }
}

template <class Unit, int Pairs>
inline void load_sums(pair_sums<Pairs>& c, const std::byte* at) {
    const auto line = [at](int i, int j) {
        return vld1q_u32(
            reinterpret_cast<const std::uint32_t*>(at + i * sums_row_bytes + j * sum_bytes));
    };
    CARAT_UNROLL for (int i = 0; i < Pairs; ++i) {
        CARAT_UNROLL for (int j = 0; j < pairs_at_once; j += 2) {
            const two_registers two = from_lines<Unit>(line(2 * i, 2 * j), line(2 * i + 1, 2 * j));
            c[i][j] = two.first;
            c[i][j + 1] = two.second;
        }
    }
}

template <class Unit, int Pairs>
inline void store_sums(const pair_sums<Pairs>& c, std::byte* at, std::int64_t stride_bytes) {
    const auto line = [=](int i, int j) {
        return reinterpret_cast<std::uint32_t*>(at + i * stride_bytes + j * sum_bytes);
    };
    CARAT_UNROLL for (int i = 0; i < Pairs; ++i) {
        CARAT_UNROLL for (int j = 0; j < pairs_at_once; j += 2) {
            const two_registers two = to_lines<Unit>(c[i][j], c[i][j + 1]);
            vst1q_u32(line(2 * i, 2 * j), two.first);
            vst1q_u32(line(2 * i + 1, 2 * j), two.second);
        }
    }
}

// `Pairs` pairs of lines from line `first` on, eight columns from column `column` on. If the number
// of lines is odd, one that is zeros or unused is computed, too.
template <class Unit, int Pairs>
void multiply_pairs(const matrix_unit_call& call, int first, int column) {
    pair_sums<Pairs> c;
    CARAT_UNROLL for (int i = 0; i < Pairs; ++i) {
        CARAT_UNROLL for (int j = 0; j < pairs_at_once; ++j) c[i][j] = vdupq_n_u32(0);
    }
    if (call.sums != nullptr)
        load_sums<Unit, Pairs>(c, call.sums + first * sums_row_bytes + column * sum_bytes);
    const std::int64_t a_line = call.a.outer_stride_bytes;
    const std::byte* a = call.a.data + first * a_line;
    const std::byte* b =
        call.b + column / tile_extent * tile_bytes + column % tile_extent * octet_bytes;
    for (std::int64_t s = 0; s < call.steps;
         ++s, a += call.a.step_stride_bytes, b += call.b_step_stride_bytes)
        add_step<Unit, Pairs>(c, a, a_line, b);
    store_sums<Unit, Pairs>(c, call.out + first * call.out_stride_bytes + column * sum_bytes,
                            call.out_stride_bytes);
}

// See matrix_unit_call in matrix_unit_kernel.hpp.
template <class Unit>
void multiply(const matrix_unit_call& call) {
    finished_sums finished = call.finished;
    if (finished.sums != nullptr) stream_rows(finished, micropanel_extent);
    static constexpr void (*of_pairs[])(const matrix_unit_call&, int, int) = {
        &multiply_pairs<Unit, 1>, &multiply_pairs<Unit, 2>, &multiply_pairs<Unit, 3>,
        &multiply_pairs<Unit, 4>};
    static_assert(pairs_at_once == 4);
    for (int column = 0; column < call.cols; column += columns_at_once)
        for (int first = 0; first < call.rows; first += 2 * pairs_at_once) {
            const int pairs = (call.rows - first + 1) / 2;
            of_pairs[(pairs < pairs_at_once ? pairs : pairs_at_once) - 1](call, first, column);
        }
}

// Puts 8 bytes of k of each column of a packed tile side by side.
inline void interleave_groups(std::byte* tile) {
    for (int g = 0; g < tile_extent; g += 2, tile += 2 * step_bytes) {
        const cache_line x = load_line(tile);
        const cache_line y = load_line(tile + step_bytes);
        cache_line low;
        cache_line high;
        for (int q = 0; q < 2; ++q) {
            low.at[2 * q] = vzip1q_u32(x.at[q], y.at[q]);
            low.at[2 * q + 1] = vzip2q_u32(x.at[q], y.at[q]);
            high.at[2 * q] = vzip1q_u32(x.at[q + 2], y.at[q + 2]);
            high.at[2 * q + 1] = vzip2q_u32(x.at[q + 2], y.at[q + 2]);
        }
        store_line(tile, low);
        store_line(tile + step_bytes, high);
    }
}

template <class E>
void pack_octets(const std::byte* source, std::int64_t outer_stride, std::int64_t k_stride,
                 std::int64_t extent, std::int64_t k, std::byte* out,
                 std::int64_t micropanel_bytes) {
    pack_micropanels<E, true>(source, outer_stride, k_stride, extent, k, out, micropanel_bytes);
    const packing p = {source, outer_stride, k_stride, extent, k, out, micropanel_bytes};
    for (std::int64_t i = 0; i < extent; i += tile_extent)
        for (std::int64_t d = 0; d < k; d += step_k<E>) interleave_groups(p.tile(i, d / step_k<E>));
}

}  // namespace carat::cpu_engine::CARAT_ISA
