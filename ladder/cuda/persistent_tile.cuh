// What steps 18 to 20 share: the order of the tiles, and how C is stored through shared memory.
//
//     staging     A warp has two tiles of 16 rows of 128 bytes, swizzled, and takes them in turn:
//                 while TMA reads one, it fills the other.
#pragma once

#include "ladder/cuda/tma_tile.cuh"

namespace carat::ladder::cuda {

// How many tiles of 256 x 256 C has, one for a cluster of two CTAs.
[[nodiscard]] __device__ __forceinline__ int cluster_tiles(const bf16_product& p) {
    return static_cast<int>((p.c.rows + 2 * block_m - 1) / (2 * block_m) *
                            ((p.c.cols + block_n - 1) / block_n));
}

struct tile_place {
    int i, j;
};

// Where in C number `index` of them begins for the CTA of that rank, in the order of step 18.
[[nodiscard]] __device__ __forceinline__ tile_place tile_at(const bf16_arguments& g, int index,
                                                            int rank) {
    const auto down = static_cast<int>((g.product.c.rows + 2 * block_m - 1) / (2 * block_m));
    const auto across = static_cast<int>((g.product.c.cols + block_n - 1) / block_n);
    const int top = index / (g.band * across) * g.band;  // of the band
    const int height = min(g.band, down - top);
    const int within = index - top * across;
    return {((top + within % height) * 2 + rank) * block_m, within / height * block_n};
}

inline constexpr int staging_size = 16 * panel;                                    // elements
inline constexpr int staging_bytes = 8 * 2 * staging_size * int{sizeof(element)};  // of 8 warps

// alpha sum + beta C(i, j) for a sum and its right neighbour, as one word of C.
__device__ __forceinline__ std::uint32_t finished_pair(const bf16_product& p, std::int64_t i,
                                                       std::int64_t j, float left, float right) {
    left *= p.alpha;
    right *= p.alpha;
    if (p.beta != 0) {
        if (p.c.contains(i, j)) left += p.beta * static_cast<float>(p.c(i, j));
        if (p.c.contains(i, j + 1)) right += p.beta * static_cast<float>(p.c(i, j + 1));
    }
    const __nv_bfloat162 pair = __floats2bfloat162_rn(left, right);
    return *reinterpret_cast<const std::uint32_t*>(&pair);
}

// Starts the store of a warpgroup's sums, 64 x 256 at (i, j). `staging` is what all warps have.
__device__ __forceinline__ void store_by_tma(const bf16_arguments& g, element* staging, int i,
                                             int j, const float (&sums)[128]) {
    const int warp = static_cast<int>(threadIdx.x) / 32;
    const int lane = static_cast<int>(threadIdx.x) % 32;
    element* const own = staging + warp * 2 * staging_size;
#pragma unroll
    for (int q = 0; q < panels; ++q) {
        element* const tile = own + q % 2 * staging_size;
        if (lane == 0) ptx::tma_store_wait<1>();  // the store before the last has read its tile
        __syncwarp();
#pragma unroll
        for (int chunk = 0; chunk < 8; chunk += 2) {  // 16 x 16 elements an instruction
            std::uint32_t pairs[4];
#pragma unroll
            for (int e = 0; e < 4; ++e) {
                const int number = q * 32 + chunk * 4 + e * 2;
                const ptx::place at = ptx::wgmma_place(warp % 4 * 32 + lane, number);
                pairs[e] = finished_pair(g.product, i + at.row, j + at.column, sums[number],
                                         sums[number + 1]);
            }
            const int place = ptx::swizzled_chunk(lane % 16, chunk + lane / 16);
            ptx::stmatrix_x4(ptx::shared_address(tile + place * 8), pairs);
        }
        ptx::fence_proxy_async_shared();  // TMA sees what the warp wrote
        __syncwarp();
        if (lane == 0) {
            ptx::tma_store(g.c, tile, j + q * panel, i + warp % 4 * 16);
            ptx::tma_store_commit();
        }
    }
}

// Returns when TMA has read the staging tiles, before which the warp must not end.
__device__ __forceinline__ void finish_stores() {
    if (threadIdx.x % 32 == 0) ptx::tma_store_wait<0>();
}

}  // namespace carat::ladder::cuda
