// Tiles multiplied by vectors: an instruction that adds the products of 4 bytes of depth (VNNI), or
// of 2 bf16, to each of 16 sums finds a line of a tile of B in its order.
//
//                    b[0]  b[1]        16 columns each, a line of two tiles
//   a[0] broadcast | c00   c01         4 bytes of depth of a line of A
//   ...            | ...
//   a[10]          | ...               22 sums, 2 of B, 1 of A: of all shapes that fit, the fewest
//                                      loads for a multiply-add
//
// VNNI multiplies unsigned bytes by signed ones. Where both are of one kind, A's are moved by 128
// as they are loaded, and a line of 128s, multiplied beside the lines of A, gives what that added
// to each column's sums: one line in 33. Everything is modulo 2^32, so nothing is lost on the way.
#pragma once

#include <immintrin.h>
#include <type_traits>
#include <utility>

#include <carat/types.hpp>

#include "cpu/kernels/isa/unroll.hpp"
#include "cpu/kernels/tile_kernel.hpp"
#include "cpu/kernels/tiles/stream.hpp"

namespace carat::cpu_engine::CARAT_ISA {

inline constexpr int most_lines = 11;  // of A at a time
inline constexpr int group_bytes = 4;

// The unit's product, of elements A by B.
template <class A, class B>
struct unit {
    using sums = __m512i;
    static constexpr bool moves_a = std::is_same_v<A, B>;

    static sums zero() { return _mm512_setzero_si512(); }
    static sums load(const std::byte* at) { return _mm512_loadu_si512(at); }
    static void store(std::byte* at, sums c) { _mm512_storeu_si512(at, c); }
    static sums subtract(sums x, sums y) { return _mm512_sub_epi32(x, y); }
    static __m512i moved(__m512i a) {
        if constexpr (moves_a) return _mm512_xor_si512(a, _mm512_set1_epi8(-128));
        return a;
    }
    // `a` has been moved.
    static sums add(sums c, __m512i a, __m512i b) {
        if constexpr (std::is_signed_v<B>) return _mm512_dpbusd_epi32(c, a, b);
        return _mm512_dpbusd_epi32(c, b, a);
    }
};

template <>
struct unit<bf16, bf16> {
    using sums = __m512;
    static constexpr bool moves_a = false;

    static sums zero() { return _mm512_setzero_ps(); }
    static sums load(const std::byte* at) { return _mm512_loadu_ps(at); }
    static void store(std::byte* at, sums c) { _mm512_storeu_ps(at, c); }
    static __m512i moved(__m512i a) { return a; }
    static sums add(sums c, __m512i a, __m512i b) {
        return _mm512_dpbf16_ps(c, __builtin_bit_cast(__m512bh, a),
                                __builtin_bit_cast(__m512bh, b));
    }
};

// What moving A added to the sums of each column.
template <class Unit>
struct surplus {
    typename Unit::sums of[2];
};

inline __m512i broadcast(const std::byte* group) {
    int bits;
    __builtin_memcpy(&bits, group, sizeof bits);
    return _mm512_set1_epi32(bits);
}

// `Lines` lines of sums from line `first` on. Finds: the surplus, too, by a line more.
template <class Unit, int Lines, int Cols, bool Finds>
void multiply_lines(const tile_block& call, int first, surplus<Unit>& extra) {
    typename Unit::sums c[std::size_t{Lines} + 1][std::size_t{Cols}];
    CARAT_UNROLL for (int i = 0; i <= Lines; ++i) {
        CARAT_UNROLL for (int j = 0; j < Cols; ++j) c[i][j] = Unit::zero();
    }
    if (call.sums != nullptr) {
        const std::byte* sums = call.sums + first * sums_line_bytes;
        CARAT_UNROLL for (int i = 0; i < Lines; ++i) {
            CARAT_UNROLL for (int j = 0; j < Cols; ++j) c[i][j] =
                Unit::load(sums + i * sums_line_bytes + j * step_bytes);
        }
    }
    const std::int64_t a_line = call.a.line_stride_bytes;
    const std::byte* a = call.a.data + first * a_line;
    const std::byte* b = call.b;
    for (std::int64_t s = 0; s < call.steps;
         ++s, a += call.a.step_stride_bytes, b += call.b_step_stride_bytes) {
        CARAT_UNROLL_DEPTHS for (std::int64_t g = 0; g < tile_lines; ++g) {
            __m512i of_b[std::size_t{Cols}];
            CARAT_UNROLL for (int j = 0; j < Cols; ++j) of_b[j] =
                _mm512_loadu_si512(b + j * tile_bytes + g * step_bytes);
            CARAT_UNROLL for (int i = 0; i < Lines; ++i) {
                const __m512i of_a = Unit::moved(broadcast(a + i * a_line + g * group_bytes));
                CARAT_UNROLL for (int j = 0; j < Cols; ++j) c[i][j] =
                    Unit::add(c[i][j], of_a, of_b[j]);
            }
            if constexpr (Finds) {
                const __m512i of_a = Unit::moved(_mm512_setzero_si512());
                CARAT_UNROLL for (int j = 0; j < Cols; ++j) c[Lines][j] =
                    Unit::add(c[Lines][j], of_a, of_b[j]);
            }
        }
    }
    if constexpr (Finds) {
        CARAT_UNROLL for (int j = 0; j < Cols; ++j) extra.of[j] = c[Lines][j];
    }
    std::byte* out = call.out + first * call.out_stride_bytes;
    CARAT_UNROLL for (int i = 0; i < Lines; ++i, out += call.out_stride_bytes) {
        CARAT_UNROLL for (int j = 0; j < Cols; ++j) {
            if constexpr (Unit::moves_a) c[i][j] = Unit::subtract(c[i][j], extra.of[j]);
            Unit::store(out + j * step_bytes, c[i][j]);
        }
    }
}

template <class Unit>
using lines_function = void (*)(const tile_block&, int first, surplus<Unit>&);

// For 0 to most_lines - 1 lines that find the surplus, for 1 to most_lines that don't.
template <class Unit, int Cols, bool Finds, std::size_t... Lines>
constexpr auto lines_functions(std::index_sequence<Lines...>) {
    struct table {
        lines_function<Unit> of[sizeof...(Lines)];
    };
    return table{
        {&multiply_lines<Unit, static_cast<int>(Lines) + (Finds ? 0 : 1), Cols, Finds>...}};
}

// All rows, in even parts.
template <class Unit, int Cols>
inline void multiply_rows(const tile_block& call) {
    constexpr std::make_index_sequence<std::size_t{most_lines}> sizes;
    static constexpr auto plain = lines_functions<Unit, Cols, false>(sizes);
    const int lines = call.rows + (Unit::moves_a ? 1 : 0);
    const int parts = (lines + most_lines - 1) / most_lines;
    const auto end_of = [&](int part) { return lines * (part + 1) / parts - (lines - call.rows); };
    surplus<Unit> extra;
    int first = 0;
    int part = 0;
    if constexpr (Unit::moves_a) {
        static constexpr auto finding = lines_functions<Unit, Cols, true>(sizes);
        first = end_of(part++);
        finding.of[first](call, 0, extra);
    }
    for (; part < parts; ++part) {
        const int end = end_of(part);
        plain.of[end - first - 1](call, first, extra);
        first = end;
    }
}

// See tile_block in tile_kernel.hpp.
template <class A, class B>
void multiply(const tile_block& call) {
    finished_sums finished = call.finished;
    if (finished.sums != nullptr) stream_rows(finished, strip_lines);
    if (call.cols > tile_lines) return multiply_rows<unit<A, B>, 2>(call);
    multiply_rows<unit<A, B>, 1>(call);
}

}  // namespace carat::cpu_engine::CARAT_ISA
