// Step 7: between the block's tile and a thread's elements comes the tile of a warp, so that the
// 32 threads which read shared memory together read as few words as possible.
//
//      block 128 x 128                 warp 64 x 32: lanes in 8 rows of 4
//      +----+----+----+----+           L0  L1  L2  L3   L0  L1  L2  L3
//      | w0 | w1 | w2 | w3 |           L4  ...          L4  ...
//      |    |    |    |    |           ...              L28 ...         each box 4 x 4 elements,
//      +----+----+----+----+           L0  L1  L2  L3   L0  ...         four boxes a lane
//      | w4 | w5 | w6 | w7 |
//      +----+----+----+----+
//
// Step 6's warp covers 2 x 16 boxes and reads 2 + 16 vectors of a tile's row a time; this one 8
// + 4. With fewer words to deliver, shared memory keeps up with the multipliers.
//
// What then remains is waiting, so everything is fetched ahead: tiles two ahead, in three buffers,
// and a thread's vectors one k ahead, in registers, across the barrier between two tiles as well.
// Measured on an H200 at 4096^3, f32: 41.9 TFLOP/s with two buffers and nothing ahead, 44.6 with
// one k ahead, 46.6 with all of it and columns outside (tiles.cuh). 16 x 8 elements a thread gain
// nothing, nor in step 22, and copies spread over the tile's steps lose a tenth by branches.
#include "ladder/cuda/async_tile.cuh"
#include "ladder/cuda/steps.hpp"

namespace carat::ladder::cuda {

namespace {

constexpr int threads = 256;
constexpr int buffers = 3;

// 8 x 8 elements a thread. f64 has half as many in a vector: its lanes lie in 4 rows of 8.
template <class T>
struct shape {
    static constexpr int size = vector<T>::size;
    static constexpr int depth = 64 / int{sizeof(T)};
    static constexpr int each = 8 / size;  // vectors of a thread, down and across
    static constexpr int warps_across = sizeof(T) == 8 ? 2 : 4;
    static constexpr int lanes_down = sizeof(T) == 8 ? 4 : 8;
    static constexpr int lanes_across = 32 / lanes_down;
    static constexpr int warp_m = lanes_down * 8;
    static constexpr int warp_n = lanes_across * 8;
    static constexpr int tile_m = threads / 32 / warps_across * warp_m;
    static constexpr int tile_n = warps_across * warp_n;
    struct tiles {  // three of them in 64 KB, which every GPU since 7.0 has
        shared_tile<T, depth, tile_m> a;
        shared_tile<T, depth, tile_n> b;
    };
};

template <class T>
__global__ void __launch_bounds__(threads, resident<T>) warp_tiled_kernel(product<T> p) {
    using s = shape<T>;
    extern __shared__ __align__(16) unsigned char shared[];
    auto* const tiles = reinterpret_cast<typename s::tiles*>(shared);
    const origin first = tile_origin(p.c, s::tile_m, s::tile_n);
    const int warp = static_cast<int>(threadIdx.x) / 32;
    const int lane = static_cast<int>(threadIdx.x) % 32;
    int rows[s::each], cols[s::each];
    for (int v = 0; v < s::each; ++v) {
        const int lane_i = lane / s::lanes_across + v * s::lanes_down;
        const int lane_j = lane % s::lanes_across + v * s::lanes_across;
        rows[v] = warp / s::warps_across * s::warp_m + lane_i * s::size;
        cols[v] = warp % s::warps_across * s::warp_n + lane_j * s::size;
    }

    tile_copier<T, s::depth, s::tile_m, threads> copy_a(p.a.transposed(), first.i);
    tile_copier<T, s::depth, s::tile_n, threads> copy_b(p.b, first.j);
    const auto start = [&](int buffer, std::int64_t k) {
        if (k < p.a.cols) {
            copy_a.start(tiles[buffer].a, k);
            copy_b.start(tiles[buffer].b, k);
        }
        carat::cuda::commit_copies();  // also when empty, to keep the count
    };
    const auto arrive = [] {
        carat::cuda::wait_for_copies<buffers - 2>();
        __syncthreads();
    };

    T sum[8][8] = {};
    operand_vectors<T, s::each, s::each> own[2];
    for (int ahead = 0; ahead < buffers - 1; ++ahead) start(ahead, ahead * s::depth);
    arrive();
    own[0].read(tiles[0].a, tiles[0].b, 0, rows, cols);
    int now = 0;
    for (std::int64_t k = 0; k < p.a.cols; k += s::depth) {
        start(now == 0 ? buffers - 1 : now - 1, k + (buffers - 1) * s::depth);
#pragma unroll
        for (int t = 0; t < s::depth; ++t) {
            if (t == s::depth - 1) {
                now = now == buffers - 1 ? 0 : now + 1;
                arrive();
            }
            own[(t + 1) % 2].read(tiles[now].a, tiles[now].b, (t + 1) % s::depth, rows, cols);
            own[t % 2].multiply(sum);
        }
    }
    store_tiles(p, first, rows, cols, sum);
}

}  // namespace

template <class T>
plan<T> warp_tiled_step::choose(int) {
    if constexpr (is_built<T>) {
        using s = shape<T>;
        return {warp_tiled_kernel<T>, s::tile_m, s::tile_n, threads,
                buffers * int{sizeof(typename s::tiles)}};
    } else {
        return {};
    }
}
template plan<double> warp_tiled_step::choose(int);
template plan<float> warp_tiled_step::choose(int);
template plan<std::uint32_t> warp_tiled_step::choose(int);

}  // namespace carat::ladder::cuda
