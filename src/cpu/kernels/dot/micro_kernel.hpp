// Tiles multiplied by vectors. One instruction adds the products of 4 bytes of k (VNNI), or of 2
// bf16, to each sum of a register; a line of a tile of B, or half of it, is already in its order.
//
//                    b[0]  b[1]        in 64-byte registers 16 columns each, a line of two tiles
//   a[0] broadcast | c00   c01         4 bytes of k of a line of A
//   ...            | ...
//   a[10]          | ...               22 sums, 2 of B, 1 of A: of all shapes that fit, the fewest
//                                      loads for a multiply-add; 12 sums in 16 shorter registers
//
// VNNI multiplies unsigned bytes by signed ones. If both have the same signedness, A's bytes are
// shifted by 128 as they are loaded. Arm's instructions multiply bytes of one signedness, so there
// A is shifted if the operands' differ. A line of 128s, multiplied together with the lines of A,
// gives what that added to each column's sums: one line in 33. Everything is modulo 2^32, so
// nothing is lost.
#pragma once

#include <type_traits>
#include <utility>

#include <carat/types.hpp>

#include "cpu/kernels/dot/registers.hpp"
#include "cpu/kernels/matrix_unit_kernel.hpp"
#include "cpu/kernels/panels/stream.hpp"
#include "cpu/kernels/vector/unroll.hpp"

namespace carat::cpu_engine::CARAT_ISA {

inline constexpr int group_bytes = 4;
inline constexpr int vectors_at_once = 2;  // of columns

// What shifting A added to the sums of each column.
template <class Unit>
struct surplus {
    typename Unit::sums of[std::size_t{vectors_at_once}];
};

// The offset from a line of a tile of B to vector `index` of it and of the tiles after it.
template <class Unit>
constexpr std::int64_t place_in_b(int index) {
    const std::int64_t at = std::int64_t{index} * Unit::bytes;
    return at / step_bytes * tile_bytes + at % step_bytes;
}

template <class Unit, int Rows, int Vectors>
using register_sums = typename Unit::sums[std::size_t{Rows} + 1][std::size_t{Vectors}];

// Sums over 64 bytes of k where a register of A holds several groups of a line, each of which is
// an operand as it lies.
template <class Unit, int Rows, int Vectors, bool Finds, std::size_t... Group>
inline void add_step_by_groups(register_sums<Unit, Rows, Vectors>& c, const std::byte* a,
                               std::int64_t a_line, const std::byte* b,
                               std::index_sequence<Group...>) {
    for (std::int64_t g = 0; g < tile_extent; g += Unit::groups) {
        constexpr int lines = Rows + (Finds ? 1 : 0);
        typename Unit::elements of_a[std::size_t{lines}];
        CARAT_UNROLL for (int i = 0; i < Rows; ++i) of_a[i] =
            Unit::moved(Unit::elements_at(a + i * a_line + g * group_bytes));
        if constexpr (Finds) of_a[Rows] = Unit::moved(typename Unit::elements{});
        const auto add_group = [&]<std::size_t Of>(std::integral_constant<std::size_t, Of>) {
            const std::byte* line = b + (g + std::int64_t{Of}) * step_bytes;
            CARAT_UNROLL for (int j = 0; j < Vectors; ++j) {
                const auto of_b = Unit::elements_at(line + place_in_b<Unit>(j));
                CARAT_UNROLL for (int i = 0; i < lines; ++i) c[i][j] =
                    Unit::template add<static_cast<int>(Of)>(c[i][j], of_a[i], of_b);
            }
        };
        (add_group(std::integral_constant<std::size_t, Group>()), ...);
    }
}

// Sums over 64 bytes of k. Finds: the last line computes the surplus.
template <class Unit, int Rows, int Vectors, bool Finds>
inline void add_step(register_sums<Unit, Rows, Vectors>& c, const std::byte* a, std::int64_t a_line,
                     const std::byte* b) {
    if constexpr (Unit::groups > 1) {
        add_step_by_groups<Unit, Rows, Vectors, Finds>(
            c, a, a_line, b, std::make_index_sequence<std::size_t{Unit::groups}>());
    } else {
        CARAT_UNROLL_DEPTHS for (std::int64_t g = 0; g < tile_extent; ++g) {
            typename Unit::elements of_b[std::size_t{Vectors}];
            CARAT_UNROLL for (int j = 0; j < Vectors; ++j) of_b[j] =
                Unit::elements_at(b + place_in_b<Unit>(j) + g * step_bytes);
            CARAT_UNROLL for (int i = 0; i < Rows; ++i) {
                const auto of_a = Unit::moved(Unit::broadcast(a + i * a_line + g * group_bytes));
                CARAT_UNROLL for (int j = 0; j < Vectors; ++j) c[i][j] =
                    Unit::add(c[i][j], of_a, of_b[j]);
            }
            if constexpr (Finds) {
                const auto of_a = Unit::moved(typename Unit::elements{});
                CARAT_UNROLL for (int j = 0; j < Vectors; ++j) c[Rows][j] =
                    Unit::add(c[Rows][j], of_a, of_b[j]);
            }
        }
    }
}

// `Rows` lines of sums from line `first` on, `Vectors` vectors of columns from vector `column` on.
// Finds: one more line computes the surplus.
template <class Unit, int Rows, int Vectors, bool Finds>
void multiply_row_block(const matrix_unit_call& call, int first, int column, surplus<Unit>& extra) {
    register_sums<Unit, Rows, Vectors> c;
    CARAT_UNROLL for (int i = 0; i <= Rows; ++i) {
        CARAT_UNROLL for (int j = 0; j < Vectors; ++j) c[i][j] = Unit::zero();
    }
    const std::int64_t to_column = std::int64_t{column} * Unit::bytes;
    if (call.sums != nullptr) {
        const std::byte* sums = call.sums + first * sums_row_bytes + to_column;
        CARAT_UNROLL for (int i = 0; i < Rows; ++i) {
            CARAT_UNROLL for (int j = 0; j < Vectors; ++j) c[i][j] =
                Unit::load(sums + i * sums_row_bytes + j * Unit::bytes);
        }
    }
    const std::int64_t a_line = call.a.outer_stride_bytes;
    const std::byte* a = call.a.data + first * a_line;
    const std::byte* b = call.b + place_in_b<Unit>(column);
    for (std::int64_t s = 0; s < call.steps;
         ++s, a += call.a.step_stride_bytes, b += call.b_step_stride_bytes)
        add_step<Unit, Rows, Vectors, Finds>(c, a, a_line, b);
    if constexpr (Finds) {
        CARAT_UNROLL for (int j = 0; j < Vectors; ++j) extra.of[j] = c[Rows][j];
    }
    std::byte* out = call.out + first * call.out_stride_bytes + to_column;
    CARAT_UNROLL for (int i = 0; i < Rows; ++i, out += call.out_stride_bytes) {
        CARAT_UNROLL for (int j = 0; j < Vectors; ++j) {
            if constexpr (Unit::moves_a) c[i][j] = Unit::subtract(c[i][j], extra.of[j]);
            Unit::store(out + j * Unit::bytes, c[i][j]);
        }
    }
}

// The same if sums can hold only few products: those of a few steps are added up in f32, in L1.
template <class Unit, int Rows, int Vectors>
void multiply_promoted(const matrix_unit_call& call, int first, int column, surplus<Unit>&) {
    typename Unit::wide_sums wide[std::size_t{Rows}][std::size_t{Vectors}];
    CARAT_UNROLL for (int i = 0; i < Rows; ++i) {
        CARAT_UNROLL for (int j = 0; j < Vectors; ++j) wide[i][j] = Unit::wide_zero();
    }
    const std::int64_t a_line = call.a.outer_stride_bytes;
    const std::byte* a = call.a.data + first * a_line;
    const std::byte* b = call.b + place_in_b<Unit>(column);
    for (std::int64_t s = 0; s < call.steps;) {
        register_sums<Unit, Rows, Vectors> c;
        CARAT_UNROLL for (int i = 0; i < Rows; ++i) {
            CARAT_UNROLL for (int j = 0; j < Vectors; ++j) c[i][j] = Unit::zero();
        }
        for (int t = 0; t < Unit::steps_at_once && s < call.steps;
             ++t, ++s, a += call.a.step_stride_bytes, b += call.b_step_stride_bytes)
            add_step<Unit, Rows, Vectors, false>(c, a, a_line, b);
        CARAT_UNROLL for (int i = 0; i < Rows; ++i) {
            CARAT_UNROLL for (int j = 0; j < Vectors; ++j) Unit::promote(wide[i][j], c[i][j]);
        }
    }
    const std::int64_t to_column = std::int64_t{column} * Unit::bytes;
    const std::byte* sums = call.sums + first * sums_row_bytes + to_column;
    std::byte* out = call.out + first * call.out_stride_bytes + to_column;
    for (int i = 0; i < Rows; ++i, out += call.out_stride_bytes, sums += sums_row_bytes)
        for (int j = 0; j < Vectors; ++j)
            Unit::store_total(out + j * Unit::bytes, wide[i][j],
                              call.sums == nullptr ? nullptr : sums + j * Unit::bytes);
}

template <class Unit>
using row_block_function = void (*)(const matrix_unit_call&, int first, int column, surplus<Unit>&);

// Indexed by lines: 0 to most_rows - 1 if they find the surplus, otherwise 1 to most_rows.
template <class Unit, int Vectors, bool Finds, std::size_t... Rows>
constexpr auto row_block_functions(std::index_sequence<Rows...>) {
    struct table {
        row_block_function<Unit> of[sizeof...(Rows)];
    };
    if constexpr (Unit::promotes)
        return table{{&multiply_promoted<Unit, static_cast<int>(Rows) + 1, Vectors>...}};
    else
        return table{{&multiply_row_block<Unit, static_cast<int>(Rows) + (Finds ? 0 : 1), Vectors,
                                          Finds>...}};
}

// Computes all rows, in even parts.
template <class Unit, int Vectors>
inline void multiply_rows(const matrix_unit_call& call, int column) {
    constexpr std::make_index_sequence<std::size_t{Unit::most_rows}> sizes;
    static constexpr auto plain = row_block_functions<Unit, Vectors, false>(sizes);
    const int lines = call.rows + (Unit::moves_a ? 1 : 0);
    const int parts = (lines + Unit::most_rows - 1) / Unit::most_rows;
    const auto end_of = [&](int part) { return lines * (part + 1) / parts - (lines - call.rows); };
    surplus<Unit> extra;
    int first = 0;
    int part = 0;
    if constexpr (Unit::moves_a) {
        static constexpr auto finding = row_block_functions<Unit, Vectors, true>(sizes);
        first = end_of(part++);
        finding.of[first](call, 0, column, extra);
    }
    for (; part < parts; ++part) {
        const int end = end_of(part);
        plain.of[end - first - 1](call, first, column, extra);
        first = end;
    }
}

// See matrix_unit_call in matrix_unit_kernel.hpp.
template <class Unit>
void multiply(const matrix_unit_call& call) {
    finished_sums finished = call.finished;
    if (finished.sums != nullptr) stream_rows(finished, micropanel_extent);
    constexpr int lanes = Unit::bytes / group_bytes;
    const int vectors = (call.cols + lanes - 1) / lanes;
    int column = 0;
    for (; vectors - column >= vectors_at_once; column += vectors_at_once)
        multiply_rows<Unit, vectors_at_once>(call, column);
    if (column < vectors) multiply_rows<Unit, 1>(call, column);
}

}  // namespace carat::cpu_engine::CARAT_ISA
