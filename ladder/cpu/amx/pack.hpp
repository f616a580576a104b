// A and B in the order in which steps 16 to 18 load them: slivers of 32 lines, for each step of 32
// along K two tiles of 1 KB. A tile of A has 16 rows of 32 elements; one of B has 16 pairs of K,
// each with 16 columns. Edges are filled up with zeros.
#pragma once

#include <cstring>

#include "ladder/cpu/amx/tiles.hpp"

namespace carat::ladder::cpu::CARAT_ISA {

// One step of a sliver: element l of line i goes to place(i, l).
template <class Place>
inline void pack_step(std::int64_t lines, std::int64_t depth, strided<const std::uint16_t> from,
                      std::uint16_t* to, const Place& place) {
    for (std::int64_t i = 0; i < amx_edge; ++i)
        for (std::int64_t l = 0; l < amx_edge; ++l)
            to[place(i, l)] = i < lines && l < depth
                                  ? from.data[i * from.row_stride + l * from.col_stride]
                                  : std::uint16_t{0};
}

// 32 rows of A side by side, each read along K. Whole steps are copied line by line.
inline void pack_a(const bf16_product& p, std::uint16_t* to) {
    for (std::int64_t i = 0; i < p.m; i += amx_edge)
        for (std::int64_t l = 0; l < p.k; l += amx_edge, to += step) {
            const std::uint16_t* at = p.a.data + i * p.a.row_stride + l * p.a.col_stride;
            if (p.a.col_stride != 1 || i + amx_edge > p.m || l + amx_edge > p.k) {
                pack_step(p.m - i, p.k - l, {at, p.a.row_stride, p.a.col_stride}, to,
                          [](std::int64_t x, std::int64_t y) { return x * amx_edge + y; });
                continue;
            }
            for (std::int64_t x = 0; x < amx_edge; ++x, at += p.a.row_stride)
                std::memcpy(to + x * amx_edge, at, amx_edge * 2);
        }
}

// Two rows of B become lines of pairs.
inline void pack_pairs(const std::uint16_t* at, std::int64_t row, std::uint16_t* to) {
    std::uint32_t pairs[amx_edge];
    for (std::int64_t j = 0; j < amx_edge; ++j) pairs[j] = at[j] | std::uint32_t{at[row + j]} << 16;
    std::memcpy(to, pairs, 64);
    std::memcpy(to + step / 2, pairs + 16, 64);
}

// 32 rows of B at a time, each read along N.
inline void pack_b(const bf16_product& p, std::uint16_t* to) {
    for (std::int64_t l = 0; l < p.k; l += amx_edge)
        for (std::int64_t j = 0; j < p.n; j += amx_edge) {
            const std::uint16_t* at = p.b.data + l * p.b.row_stride + j * p.b.col_stride;
            std::uint16_t* const tiles = to + j * whole(p.k) + l * amx_edge;
            if (p.b.col_stride != 1 || j + amx_edge > p.n || l + amx_edge > p.k) {
                pack_step(p.n - j, p.k - l, {at, p.b.col_stride, p.b.row_stride}, tiles,
                          [](std::int64_t x, std::int64_t y) {
                              return x / 16 * step / 2 + y / 2 * amx_edge + x % 16 * 2 + y % 2;
                          });
                continue;
            }
            for (std::int64_t y = 0; y < amx_edge; y += 2, at += 2 * p.b.row_stride)
                pack_pairs(at, p.b.row_stride, tiles + y * 16);
        }
}

}  // namespace carat::ladder::cpu::CARAT_ISA
