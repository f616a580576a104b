// Tile registers made ready, and A and B in the order in which step 16 loads them: slivers of 32
// lines, for each step of 32 along K two tiles of 1 KB. A tile of A has 16 rows of 32 elements; one
// of B has 16 pairs of K, each with 16 columns.
#pragma once

#include <immintrin.h>

#include "ladder/cpu/amx/amx.hpp"

namespace carat::ladder::cpu::CARAT_ISA {

inline constexpr std::int64_t step = amx_edge * amx_edge;  // elements of a sliver for one step of K

struct alignas(64) tile_configuration {
    std::uint8_t palette = 1, start_row = 0, reserved[14] = {};
    std::uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
    std::uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};

inline void configure() {
    static constexpr tile_configuration all_whole;
    _tile_loadconfig(&all_whole);
}
inline void release() {
    _tile_release();
}

// place(x, k) is where element k of line x of a sliver goes, within a step.
template <class Place>
inline void pack(std::int64_t lines, std::int64_t depth, strided<const std::uint16_t> from,
                 std::uint16_t* to, const Place& place) {
    for (std::int64_t x = 0; x < lines; x += amx_edge)
        for (std::int64_t k = 0; k < depth; k += amx_edge, to += step)
            for (std::int64_t i = 0; i < amx_edge; ++i)
                for (std::int64_t l = 0; l < amx_edge; ++l)
                    to[place(i, l)] =
                        x + i < lines && k + l < depth
                            ? from.data[(x + i) * from.row_stride + (k + l) * from.col_stride]
                            : std::uint16_t{0};
}

inline void pack_a(const bf16_product& p, std::uint16_t* to) {
    pack(p.m, p.k, p.a, to, [](std::int64_t i, std::int64_t l) { return i * amx_edge + l; });
}
inline void pack_b(const bf16_product& p, std::uint16_t* to) {
    pack(p.n, p.k, {p.b.data, p.b.col_stride, p.b.row_stride}, to,
         [](std::int64_t j, std::int64_t l) {
             return j / 16 * step / 2 + l / 2 * amx_edge + j % 16 * 2 + l % 2;
         });
}

}  // namespace carat::ladder::cpu::CARAT_ISA
