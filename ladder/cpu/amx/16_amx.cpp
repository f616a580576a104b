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
#include "ladder/cpu/amx/pack.hpp"

namespace carat::ladder::cpu::CARAT_ISA {

namespace {

// c += the sums of `steps` steps of K; c has whole rows of 32 elements, `row` apart.
inline void multiply_tile(std::int64_t steps, const std::uint16_t* a, const std::uint16_t* b,
                          float* c, std::int64_t row) {
    const std::int64_t bytes = row * 4;
    _tile_loadd(0, c, bytes);
    _tile_loadd(1, c + 16, bytes);
    _tile_loadd(2, c + 16 * row, bytes);
    _tile_loadd(3, c + 16 * row + 16, bytes);
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
    _tile_stored(0, c, bytes);
    _tile_stored(1, c + 16, bytes);
    _tile_stored(2, c + 16 * row, bytes);
    _tile_stored(3, c + 16 * row + 16, bytes);
}

void multiply_packed(const bf16_product& p, const std::uint16_t* packed_a,
                     const std::uint16_t* packed_b) {
    const std::int64_t steps = (p.k + amx_edge - 1) / amx_edge;
    for (std::int64_t j = 0; j < p.n; j += amx_edge)
        for (std::int64_t i = 0; i < p.m; i += amx_edge) {
            float* const c = p.c.data + i * p.c.row_stride + j * p.c.col_stride;
            const std::uint16_t* const a = packed_a + i * steps * amx_edge;
            const std::uint16_t* const b = packed_b + j * steps * amx_edge;
            asm volatile("" ::: "memory");  // the intrinsics do not say which memory they touch
            if (p.alpha == 1 && p.c.col_stride == 1 && i + amx_edge <= p.m && j + amx_edge <= p.n) {
                multiply_tile(steps, a, b, c, p.c.row_stride);
            } else {
                float tile[step] = {};
                asm volatile("" ::"r"(tile) : "memory");
                multiply_tile(steps, a, b, tile, amx_edge);
                asm volatile("" ::: "memory");
                for (std::int64_t r = 0; r < amx_edge && i + r < p.m; ++r)
                    for (std::int64_t s = 0; s < amx_edge && j + s < p.n; ++s)
                        c[r * p.c.row_stride + s * p.c.col_stride] +=
                            p.alpha * tile[r * amx_edge + s];
            }
            asm volatile("" ::: "memory");
        }
}

}  // namespace

extern const amx_functions functions;
constexpr amx_functions functions = {pack_a, pack_b, multiply_packed, configure, release};

}  // namespace carat::ladder::cpu::CARAT_ISA
