// Step 17: sums in L2. Step 16 loads and stores each tile of C for every 512 of K: 32 rows far
// apart, from memory. Here a block of C is computed over all of K before the next one, and until
// then its sums lie in L2, a tile of 4 KB in one piece. C is written once:
//
//             B
//          [slab 0]         for each slab of K: every sliver of A meets every sliver of B,
//          [slab 1]         and their tile of sums grows
//             :
//    A        C
//  [0|1|..] [sums ]         after the last one: C = alpha sums + beta C
//
// A and B are packed once, over all of K. A slab of the block's B stays in L2, and passes for every
// sliver of A.
#include "ladder/cpu/amx/steps.hpp"
#include "ladder/cpu/amx/tiles.hpp"

namespace carat::ladder::cpu::CARAT_ISA {

namespace {

constexpr std::int64_t slab = 512;  // of K

// sums = A B, or sums += A B, over `steps` steps of K.
inline void multiply_tile(std::int64_t steps, const std::uint16_t* a, const std::uint16_t* b,
                          bool adds, float* sums) {
    adds ? load_sums(sums, amx_edge) : zero_sums();
    for (std::int64_t s = 0; s < steps; ++s, a += step, b += step) {
        _tile_stream_loadd(6, b, 64);
        _tile_loadd(4, a, 64);
        _tile_dpbf16ps(0, 4, 6);
        _tile_stream_loadd(7, b + step / 2, 64);
        _tile_dpbf16ps(1, 4, 7);
        _tile_loadd(5, a + step / 2, 64);
        _tile_dpbf16ps(2, 5, 6);
        _tile_dpbf16ps(3, 5, 7);
    }
    store_sums(sums, amx_edge);
}

// C = alpha sums + beta C for the tile of C at (i, j). Whole rows of it are left to vectors.
inline void write_tile(const bf16_product& p, std::int64_t i, std::int64_t j, const float* sums) {
    const bool whole_rows = j + amx_edge <= p.n && p.c.col_stride == 1 && p.beta == 0;
    for (std::int64_t r = i; r < p.m && r < i + amx_edge; ++r, sums += amx_edge) {
        float* const c = p.c.data + r * p.c.row_stride + j * p.c.col_stride;
        if (whole_rows) {
            for (std::int64_t s = 0; s < amx_edge; ++s) c[s] = p.alpha * sums[s];
            continue;
        }
        for (std::int64_t s = 0; s < amx_edge && j + s < p.n; ++s) {
            float& to = c[s * p.c.col_stride];
            to = p.beta == 0 ? p.alpha * sums[s] : p.alpha * sums[s] + p.beta * to;
        }
    }
}

}  // namespace

void multiply_block(const bf16_product& p, const std::uint16_t* packed_a,
                    const std::uint16_t* packed_b, float* sums) {
    const std::int64_t depth = whole(p.k);
    for (std::int64_t l = 0; l < depth; l += slab) {
        const std::int64_t left = depth - l;
        float* tile = sums;
        for (std::int64_t i = 0; i < p.m; i += amx_edge)
            for (std::int64_t j = 0; j < p.n; j += amx_edge, tile += step) {
                multiply_tile((left < slab ? left : slab) / amx_edge,
                              packed_a + i * depth + l * amx_edge,
                              packed_b + j * depth + l * amx_edge, l > 0, tile);
                if (left <= slab) write_tile(p, i, j, tile);
            }
    }
}

}  // namespace carat::ladder::cpu::CARAT_ISA
