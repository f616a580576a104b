// Step 16: a matrix unit. Eight tile registers hold 16 rows of 64 bytes each, and one instruction
// multiplies a tile of A, 16 x 32 of bf16, with one of B and adds to a tile of C, 16 x 16 of f32:
// 8192 multiply-adds, where a vector instruction does 16.
//
//            b0: tmm6  b1: tmm7     four products for four loads: 64 cycles of the unit, during
//     a0 tmm4   tmm0      tmm1      which L1 and L2 have to bring 4 KB
//     a1 tmm5   tmm2      tmm3
//
// The unit multiplies pairs along K. A has them side by side; B does not, and is packed so (VNNI):
//
//     row k      b0 b1 b2 ...            b0 c0 b1 c1 b2 c2 ...     a row of the tile of B:
//     row k + 1  c0 c1 c2 ...     ->                               two of K, 16 columns
//
// Slivers of A and B are 32 wide and padded with zeros, in K too. With kc = 512 a sliver of B is 32
// KB and stays in L1 while all slivers of A pass, from L2.
// Reference: Intel 64 and IA-32 Optimization Manual, chapter 20 ("Intel AMX").
#include "ladder/cpu/amx/steps.hpp"
#include "ladder/cpu/amx/tiles.hpp"

namespace carat::ladder::cpu::CARAT_ISA {

namespace {

// c += the sums of `steps` steps of K; c has whole rows of 32 elements, `row` apart.
inline void multiply_tile(std::int64_t steps, const std::uint16_t* a, const std::uint16_t* b,
                          float* c, std::int64_t row) {
    load_sums(c, row);
    for (std::int64_t s = 0; s < steps; ++s, a += step, b += step) {
        _tile_loadd(6, b, 64);
        _tile_loadd(4, a, 64);
        _tile_dpbf16ps(0, 4, 6);
        _tile_loadd(7, b + step / 2, 64);
        _tile_dpbf16ps(1, 4, 7);
        _tile_loadd(5, a + step / 2, 64);
        _tile_dpbf16ps(2, 5, 6);
        _tile_dpbf16ps(3, 5, 7);
    }
    store_sums(c, row);
}

}  // namespace

void multiply_panel(const bf16_product& p, const std::uint16_t* packed_a,
                    const std::uint16_t* packed_b) {
    const std::int64_t depth = whole(p.k);
    for (std::int64_t j = 0; j < p.n; j += amx_edge)
        for (std::int64_t i = 0; i < p.m; i += amx_edge) {
            float* const c = p.c.data + i * p.c.row_stride + j * p.c.col_stride;
            const std::uint16_t* const a = packed_a + i * depth;
            const std::uint16_t* const b = packed_b + j * depth;
            if (p.alpha == 1 && p.c.col_stride == 1 && i + amx_edge <= p.m && j + amx_edge <= p.n) {
                multiply_tile(depth / amx_edge, a, b, c, p.c.row_stride);
                continue;
            }
            alignas(64) float tile[step] = {};
            multiply_tile(depth / amx_edge, a, b, tile, amx_edge);
            for (std::int64_t r = 0; r < amx_edge && i + r < p.m; ++r)
                for (std::int64_t s = 0; s < amx_edge && j + s < p.n; ++s)
                    c[r * p.c.row_stride + s * p.c.col_stride] += p.alpha * tile[r * amx_edge + s];
        }
}

}  // namespace carat::ladder::cpu::CARAT_ISA
