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
#include "ladder/cuda/async_tile.cuh"
#include "ladder/cuda/step.cuh"
#include "ladder/cuda/steps.hpp"

namespace carat::ladder::cuda {

namespace {

constexpr int threads = 256;
constexpr int depth = 16;
constexpr int warps_across = 4;
constexpr int lanes_down = 8;
constexpr int lanes_across = 4;

// f64 has half as many elements in a vector: its tile is 128 x 64, its thread's 8 x 4.
template <class T>
struct shape {
    static constexpr int size = vector<T>::size;
    static constexpr int row_vectors = 8 / size;
    static constexpr int col_vectors = 2;
    static constexpr int warp_m = lanes_down * size * row_vectors;
    static constexpr int warp_n = lanes_across * size * col_vectors;
    static constexpr int tile_m = threads / 32 / warps_across * warp_m;
    static constexpr int tile_n = warps_across * warp_n;
};

template <class T>
__global__ void __launch_bounds__(threads, sizeof(T) == 8 ? 1 : 2) warp_tiled_kernel(product<T> p) {
    using s = shape<T>;
    __shared__ shared_tile<T, depth, s::tile_m> a[2];
    __shared__ shared_tile<T, depth, s::tile_n> b[2];
    const origin first = tile_origin(p.c, s::tile_m, s::tile_n);
    const int warp = static_cast<int>(threadIdx.x) / 32;
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int y = warp / warps_across * s::warp_m + lane / lanes_across * s::size;
    const int x = warp % warps_across * s::warp_n + lane % lanes_across * s::size;
    int rows[s::row_vectors];
    for (int v = 0; v < s::row_vectors; ++v) rows[v] = y + v * lanes_down * s::size;
    const int cols[s::col_vectors] = {x, x + lanes_across * s::size};

    const tile_copier<T, depth, s::tile_m, threads> copy_a(p.a.transposed(), first.i);
    const tile_copier<T, depth, s::tile_n, threads> copy_b(p.b, first.j);
    const auto start = [&](int buffer, std::int64_t k) {
        if (k >= p.a.cols) return;
        copy_a.start(a[buffer], k);
        copy_b.start(b[buffer], k);
        carat::cuda::commit_copies();
    };

    T sum[s::row_vectors * s::size][s::col_vectors * s::size] = {};
    int now = 0;
    start(now, 0);
    for (std::int64_t k = 0; k < p.a.cols; k += depth, now ^= 1) {
        carat::cuda::wait_for_copies<0>();
        __syncthreads();
        start(now ^ 1, k + depth);
        multiply_tiles(a[now], b[now], rows, cols, sum);
    }
    store_tiles(p, first, rows, cols, sum);
}

struct warp_tiled_step {
    static constexpr const char* name = "cuda.ladder.warp_tiled";

    template <class T, class, class>
    static plan<T, T, T> choose(const core::settings&) {
        return {warp_tiled_kernel<T>, shape<T>::tile_m, shape<T>::tile_n, threads};
    }
};

}  // namespace

constinit const core::implementation warp_tiled =
    plain_row<warp_tiled_step>("tiles of warps, so that shared memory is read least");

}  // namespace carat::ladder::cuda
