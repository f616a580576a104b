// The loops of a block of C whose sums stay in L2, for steps 17 and 18.
#pragma once

#include "ladder/cpu/amx/tiles.hpp"

namespace carat::ladder::cpu::CARAT_ISA {

// A tile of C and where its operands are for one slab of K. Its sums are 32 rows of 32, in one
// piece.
struct tile_of_c {
    std::int64_t i, j;   // of its first element
    std::int64_t steps;  // of K in this slab
    std::int64_t ahead;  // elements to the next step
    const std::uint16_t *a, *b;
    float* sums;
    bool first, last;  // of the slabs
};

// body(tile) for each slab of K, and in it for each sliver of A and each sliver of B. K is walked
// forward and backward in turn, so that the end of a sliver of A is still in L1 when the next
// sliver of B meets it.
template <class Body>
inline void for_slabs(const bf16_product& p, const std::uint16_t* packed_a,
                      const std::uint16_t* packed_b, float* sums, const Body& body) {
    const std::int64_t depth = whole(p.k);
    for (std::int64_t l = 0; l < depth; l += amx_slab) {
        const std::int64_t left = depth - l;
        tile_of_c t = {0, 0, 0, 0, nullptr, nullptr, sums, l == 0, left <= amx_slab};
        t.steps = (t.last ? left : amx_slab) / amx_edge;
        for (t.i = 0; t.i < p.m; t.i += amx_edge)
            for (t.j = 0; t.j < p.n; t.j += amx_edge, t.sums += step) {
                const bool back = t.j / amx_edge % 2 != 0;
                const std::int64_t from = l * amx_edge + (back ? (t.steps - 1) * step : 0);
                t.ahead = back ? -step : step;
                t.a = packed_a + t.i * depth + from;
                t.b = packed_b + t.j * depth + from;
                body(t);
            }
    }
}

// sums += a b for one step of K. B passes from L2, with a hint that L1 need not keep it.
inline void multiply_step(const std::uint16_t* a, const std::uint16_t* b) {
    _tile_stream_loadd(6, b, 64);
    _tile_loadd(4, a, 64);
    _tile_dpbf16ps(0, 4, 6);
    _tile_stream_loadd(7, b + step / 2, 64);
    _tile_dpbf16ps(1, 4, 7);
    _tile_loadd(5, a + step / 2, 64);
    _tile_dpbf16ps(2, 5, 6);
    _tile_dpbf16ps(3, 5, 7);
}

// C = alpha sums + beta C for a tile. Whole rows of it are left to vectors.
inline void write_tile(const bf16_product& p, const tile_of_c& t) {
    const bool whole_rows = t.j + amx_edge <= p.n && p.c.col_stride == 1 && p.beta == 0;
    const float* sums = t.sums;
    for (std::int64_t i = t.i; i < p.m && i < t.i + amx_edge; ++i, sums += amx_edge) {
        float* const c = p.c.data + i * p.c.row_stride + t.j * p.c.col_stride;
        if (whole_rows) {
            for (std::int64_t j = 0; j < amx_edge; ++j) c[j] = p.alpha * sums[j];
            continue;
        }
        for (std::int64_t j = 0; j < amx_edge && t.j + j < p.n; ++j) {
            float& to = c[j * p.c.col_stride];
            to = p.beta == 0 ? p.alpha * sums[j] : p.alpha * sums[j] + p.beta * to;
        }
    }
}

}  // namespace carat::ladder::cpu::CARAT_ISA
