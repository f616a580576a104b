// A and B in the order in which steps 16 and 17 load them: slivers of 32 lines, for each step of 32
// along K two tiles of 1 KB. A tile of A has 16 rows of 32 elements; one of B has 16 pairs of K,
// each with 16 columns. Edges are filled up with zeros.
#pragma once

#include <cstring>

#include "ladder/cpu/amx/tiles.hpp"

namespace carat::ladder::cpu::CARAT_ISA {

// Calls whole(from, to) for each step that is whole and lies as `whole` expects it, and copies the
// others element by element: element k of line x goes to place(x, k).
template <class Place, class Whole>
inline void pack(std::int64_t lines, std::int64_t depth, strided<const std::uint16_t> from,
                 std::uint16_t* to, bool lies_well, const Place& place, const Whole& whole) {
    for (std::int64_t x = 0; x < lines; x += amx_edge)
        for (std::int64_t k = 0; k < depth; k += amx_edge, to += step) {
            const std::uint16_t* const at = from.data + x * from.row_stride + k * from.col_stride;
            if (lies_well && x + amx_edge <= lines && k + amx_edge <= depth) {
                whole(at, to);
                continue;
            }
            for (std::int64_t i = 0; i < amx_edge; ++i)
                for (std::int64_t l = 0; l < amx_edge; ++l)
                    to[place(i, l)] = x + i < lines && k + l < depth
                                          ? at[i * from.row_stride + l * from.col_stride]
                                          : std::uint16_t{0};
        }
}

inline void pack_a(const bf16_product& p, std::uint16_t* to) {
    pack(
        p.m, p.k, p.a, to, p.a.col_stride == 1,
        [](std::int64_t i, std::int64_t l) { return i * amx_edge + l; },
        [&](const std::uint16_t* at, std::uint16_t* tiles) {
            for (std::int64_t i = 0; i < amx_edge; ++i)
                std::memcpy(tiles + i * amx_edge, at + i * p.a.row_stride, amx_edge * 2);
        });
}

// Two rows of B become lines of pairs.
inline void pack_b(const bf16_product& p, std::uint16_t* to) {
    pack(
        p.n, p.k, {p.b.data, p.b.col_stride, p.b.row_stride}, to, p.b.col_stride == 1,
        [](std::int64_t j, std::int64_t l) {
            return j / 16 * step / 2 + l / 2 * amx_edge + j % 16 * 2 + l % 2;
        },
        [&](const std::uint16_t* at, std::uint16_t* tiles) {
            for (std::int64_t l = 0; l < amx_edge; l += 2, at += 2 * p.b.row_stride) {
                std::uint32_t pairs[amx_edge];
                for (std::int64_t j = 0; j < amx_edge; ++j)
                    pairs[j] = at[j] | std::uint32_t{at[p.b.row_stride + j]} << 16;
                std::memcpy(tiles + l * 16, pairs, 64);
                std::memcpy(tiles + l * 16 + step / 2, pairs + 16, 64);
            }
        });
}

}  // namespace carat::ladder::cpu::CARAT_ISA
