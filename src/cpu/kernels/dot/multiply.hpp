// Tiles multiplied by vectors: an instruction that adds the products of 4 bytes of depth (VNNI), or
// of 2 bf16, to each sum of a register finds a line of a tile of B, or half of it, in its order.
//
//                    b[0]  b[1]        in 64-byte registers 16 columns each, a line of two tiles
//   a[0] broadcast | c00   c01         4 bytes of depth of a line of A
//   ...            | ...
//   a[10]          | ...               22 sums, 2 of B, 1 of A: of all shapes that fit, the fewest
//                                      loads for a multiply-add; 12 sums in 16 shorter registers
//
// VNNI multiplies unsigned bytes by signed ones. Where both are of one kind, A's are moved by 128
// as they are loaded, and a line of 128s, multiplied beside the lines of A, gives what that added
// to each column's sums: one line in 33. Everything is modulo 2^32, so nothing is lost on the way.
#pragma once

#include <type_traits>
#include <utility>

#include <carat/types.hpp>

#include "cpu/kernels/dot/unit.hpp"
#include "cpu/kernels/isa/unroll.hpp"
#include "cpu/kernels/tile_kernel.hpp"
#include "cpu/kernels/tiles/stream.hpp"

namespace carat::cpu_engine::CARAT_ISA {

inline constexpr int group_bytes = 4;
inline constexpr int vectors_at_once = 2;  // of columns

// What moving A added to the sums of each column.
template <class Unit>
struct surplus {
    typename Unit::sums of[std::size_t{vectors_at_once}];
};

// From a line of a tile of B to vector `index` of it and those of the tiles after it.
template <class Unit>
constexpr std::int64_t place_in_b(int index) {
    const std::int64_t at = std::int64_t{index} * Unit::bytes;
    return at / step_bytes * tile_bytes + at % step_bytes;
}

template <class Unit, int Lines, int Vectors>
using register_sums = typename Unit::sums[std::size_t{Lines} + 1][std::size_t{Vectors}];

// Sums of 64 bytes of depth. Finds: in their last line the surplus, too.
template <class Unit, int Lines, int Vectors, bool Finds>
inline void add_step(register_sums<Unit, Lines, Vectors>& c, const std::byte* a,
                     std::int64_t a_line, const std::byte* b) {
    CARAT_UNROLL_DEPTHS for (std::int64_t g = 0; g < tile_lines; ++g) {
        typename Unit::elements of_b[std::size_t{Vectors}];
        CARAT_UNROLL for (int j = 0; j < Vectors; ++j) of_b[j] =
            Unit::elements_at(b + place_in_b<Unit>(j) + g * step_bytes);
        CARAT_UNROLL for (int i = 0; i < Lines; ++i) {
            const auto of_a = Unit::moved(Unit::broadcast(a + i * a_line + g * group_bytes));
            CARAT_UNROLL for (int j = 0; j < Vectors; ++j) c[i][j] =
                Unit::add(c[i][j], of_a, of_b[j]);
        }
        if constexpr (Finds) {
            const auto of_a = Unit::moved(typename Unit::elements{});
            CARAT_UNROLL for (int j = 0; j < Vectors; ++j) c[Lines][j] =
                Unit::add(c[Lines][j], of_a, of_b[j]);
        }
    }
}

// `Lines` lines of sums from line `first` on, `Vectors` vectors of columns from vector `column` on.
// Finds: the surplus, too, by a line more.
template <class Unit, int Lines, int Vectors, bool Finds>
void multiply_lines(const tile_block& call, int first, int column, surplus<Unit>& extra) {
    register_sums<Unit, Lines, Vectors> c;
    CARAT_UNROLL for (int i = 0; i <= Lines; ++i) {
        CARAT_UNROLL for (int j = 0; j < Vectors; ++j) c[i][j] = Unit::zero();
    }
    const std::int64_t to_column = std::int64_t{column} * Unit::bytes;
    if (call.sums != nullptr) {
        const std::byte* sums = call.sums + first * sums_line_bytes + to_column;
        CARAT_UNROLL for (int i = 0; i < Lines; ++i) {
            CARAT_UNROLL for (int j = 0; j < Vectors; ++j) c[i][j] =
                Unit::load(sums + i * sums_line_bytes + j * Unit::bytes);
        }
    }
    const std::int64_t a_line = call.a.line_stride_bytes;
    const std::byte* a = call.a.data + first * a_line;
    const std::byte* b = call.b + place_in_b<Unit>(column);
    for (std::int64_t s = 0; s < call.steps;
         ++s, a += call.a.step_stride_bytes, b += call.b_step_stride_bytes)
        add_step<Unit, Lines, Vectors, Finds>(c, a, a_line, b);
    if constexpr (Finds) {
        CARAT_UNROLL for (int j = 0; j < Vectors; ++j) extra.of[j] = c[Lines][j];
    }
    std::byte* out = call.out + first * call.out_stride_bytes + to_column;
    CARAT_UNROLL for (int i = 0; i < Lines; ++i, out += call.out_stride_bytes) {
        CARAT_UNROLL for (int j = 0; j < Vectors; ++j) {
            if constexpr (Unit::moves_a) c[i][j] = Unit::subtract(c[i][j], extra.of[j]);
            Unit::store(out + j * Unit::bytes, c[i][j]);
        }
    }
}

// The same where sums hold few products: those of a few steps are added up in f32, in L1.
template <class Unit, int Lines, int Vectors>
void multiply_promoted(const tile_block& call, int first, int column, surplus<Unit>&) {
    typename Unit::wide_sums wide[std::size_t{Lines}][std::size_t{Vectors}];
    CARAT_UNROLL for (int i = 0; i < Lines; ++i) {
        CARAT_UNROLL for (int j = 0; j < Vectors; ++j) wide[i][j] = Unit::wide_zero();
    }
    const std::int64_t a_line = call.a.line_stride_bytes;
    const std::byte* a = call.a.data + first * a_line;
    const std::byte* b = call.b + place_in_b<Unit>(column);
    for (std::int64_t s = 0; s < call.steps;) {
        register_sums<Unit, Lines, Vectors> c;
        CARAT_UNROLL for (int i = 0; i < Lines; ++i) {
            CARAT_UNROLL for (int j = 0; j < Vectors; ++j) c[i][j] = Unit::zero();
        }
        for (int t = 0; t < Unit::steps_at_once && s < call.steps;
             ++t, ++s, a += call.a.step_stride_bytes, b += call.b_step_stride_bytes)
            add_step<Unit, Lines, Vectors, false>(c, a, a_line, b);
        CARAT_UNROLL for (int i = 0; i < Lines; ++i) {
            CARAT_UNROLL for (int j = 0; j < Vectors; ++j) Unit::promote(wide[i][j], c[i][j]);
        }
    }
    const std::int64_t to_column = std::int64_t{column} * Unit::bytes;
    const std::byte* sums = call.sums + first * sums_line_bytes + to_column;
    std::byte* out = call.out + first * call.out_stride_bytes + to_column;
    for (int i = 0; i < Lines; ++i, out += call.out_stride_bytes, sums += sums_line_bytes)
        for (int j = 0; j < Vectors; ++j)
            Unit::store_total(out + j * Unit::bytes, wide[i][j],
                              call.sums == nullptr ? nullptr : sums + j * Unit::bytes);
}

template <class Unit>
using lines_function = void (*)(const tile_block&, int first, int column, surplus<Unit>&);

// For 0 to most_lines - 1 lines that find the surplus, for 1 to most_lines that don't.
template <class Unit, int Vectors, bool Finds, std::size_t... Lines>
constexpr auto lines_functions(std::index_sequence<Lines...>) {
    struct table {
        lines_function<Unit> of[sizeof...(Lines)];
    };
    if constexpr (Unit::promotes)
        return table{{&multiply_promoted<Unit, static_cast<int>(Lines) + 1, Vectors>...}};
    else
        return table{
            {&multiply_lines<Unit, static_cast<int>(Lines) + (Finds ? 0 : 1), Vectors, Finds>...}};
}

// All rows, in even parts.
template <class Unit, int Vectors>
inline void multiply_rows(const tile_block& call, int column) {
    constexpr std::make_index_sequence<std::size_t{Unit::most_lines}> sizes;
    static constexpr auto plain = lines_functions<Unit, Vectors, false>(sizes);
    const int lines = call.rows + (Unit::moves_a ? 1 : 0);
    const int parts = (lines + Unit::most_lines - 1) / Unit::most_lines;
    const auto end_of = [&](int part) { return lines * (part + 1) / parts - (lines - call.rows); };
    surplus<Unit> extra;
    int first = 0;
    int part = 0;
    if constexpr (Unit::moves_a) {
        static constexpr auto finding = lines_functions<Unit, Vectors, true>(sizes);
        first = end_of(part++);
        finding.of[first](call, 0, column, extra);
    }
    for (; part < parts; ++part) {
        const int end = end_of(part);
        plain.of[end - first - 1](call, first, column, extra);
        first = end;
    }
}

// See tile_block in tile_kernel.hpp.
template <class Unit>
void multiply(const tile_block& call) {
    finished_sums finished = call.finished;
    if (finished.sums != nullptr) stream_rows(finished, strip_lines);
    constexpr int lanes = Unit::bytes / group_bytes;
    const int vectors = (call.cols + lanes - 1) / lanes;
    int column = 0;
    for (; vectors - column >= vectors_at_once; column += vectors_at_once)
        multiply_rows<Unit, vectors_at_once>(call, column);
    if (column < vectors) multiply_rows<Unit, 1>(call, column);
}

}  // namespace carat::cpu_engine::CARAT_ISA
