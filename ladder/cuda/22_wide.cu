// Step 22: 16 x 8 sums a thread instead of 8 x 8. For one k a thread of step 21 loads 4 vectors and
// multiplies 64 times; this one loads 6 and multiplies 128 times.
//
//                       loads   multiply-adds   shared memory, a warp and k
//     step 21,  8 x 8     4          64         96 words for 64 x 32 sums
//     step 22, 16 x 8     6         128        128 words for 64 x 64 sums
//
// A load takes the place of a multiply-add, so these are at most 128 of 134 instructions, not 64 of
// 68. 128 sums and twice 24 operands want 200 registers: 128 threads a block, two blocks an SM.
#include "ladder/cuda/async_tile.cuh"
#include "ladder/cuda/steps.hpp"

namespace carat::ladder::cuda {

namespace {

constexpr int threads = 128, tile = 128, depth = 16, buffers = 3;

struct tiles {
    shared_tile<float, depth, tile> a, b;
};

// sum += column x row. Rows go to and fro: one operand stays for the next multiply-add.
__device__ __forceinline__ void multiply(const operand_vectors<float, 4, 2>& own,
                                         float (&sum)[16][8]) {
#pragma unroll
    for (int e = 0; e < 128; ++e) {
        const int c = e / 16;
        const int r = c % 2 == 0 ? e % 16 : 15 - e % 16;
        sum[r][c] += own.column[r / 4].at[r % 4] * own.row[c / 4].at[c % 4];
    }
}

__global__ void __launch_bounds__(threads, resident<float>) wide_kernel(product<float> p) {
    extern __shared__ __align__(16) unsigned char shared[];
    auto* const all = reinterpret_cast<tiles*>(shared);
    const origin first = tile_origin(p.c, tile, tile);
    const int warp = static_cast<int>(threadIdx.x) / 32;
    const int lane = static_cast<int>(threadIdx.x) % 32;
    int rows[4], cols[2];  // warps in 2 rows of 2, lanes in 4 rows of 8
    for (int v = 0; v < 4; ++v) rows[v] = warp / 2 * 64 + v * 16 + lane / 8 * 4;
    for (int v = 0; v < 2; ++v) cols[v] = warp % 2 * 64 + v * 32 + lane % 8 * 4;

    tile_copier<float, depth, tile, threads> copy_a(p.a.transposed(), first.i);
    tile_copier<float, depth, tile, threads> copy_b(p.b, first.j);
    const auto start = [&](int buffer, std::int64_t k) {
        if (k < p.a.cols) {
            copy_a.start(all[buffer].a, k);
            copy_b.start(all[buffer].b, k);
        }
        carat::cuda::commit_copies();  // also when empty, to keep the count
    };

    float sum[16][8] = {};
    operand_vectors<float, 4, 2> own[2];
    for (int ahead = 0; ahead < buffers - 1; ++ahead) start(ahead, ahead * depth);
    carat::cuda::wait_for_copies<buffers - 2>();
    __syncthreads();
    own[0].read(all[0].a, all[0].b, 0, rows, cols);
    int now = 0;
    for (std::int64_t k = 0; k < p.a.cols; k += depth) {
        start(now == 0 ? buffers - 1 : now - 1, k + (buffers - 1) * depth);
#pragma unroll
        for (int t = 0; t < depth; ++t) {
            if (t == depth - 1) {
                now = now == buffers - 1 ? 0 : now + 1;
                carat::cuda::wait_for_copies<buffers - 2>();
                __syncthreads();
            }
            own[(t + 1) % 2].read(all[now].a, all[now].b, (t + 1) % depth, rows, cols);
            multiply(own[t % 2], sum);
        }
    }
    store_tiles(p, first, rows, cols, sum);
}

}  // namespace

plan<float> wide_step::choose() {
    return {wide_kernel, tile, tile, threads, buffers * int{sizeof(tiles)}};
}

}  // namespace carat::ladder::cuda
