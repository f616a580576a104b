// Step 6: two tiles of each operand. While a block multiplies one pair, cp.async fills the other,
// past the registers; the wait for memory of steps 3 to 5 disappears behind arithmetic.
//
//     copy      | 0 | 1 | 2 | 3 |          One barrier a tile is enough: whoever passes it knows
//     multiply      | 0 | 1 | 2 | 3 |      that the next pair has arrived and that everybody is
//               ---- time --------->       done with the pair that is overwritten now.
//
// cp.async copies 4, 8 or 16 bytes, so every layout takes this way, elements one by one if need be.
#include "ladder/cuda/async_tile.cuh"
#include "ladder/cuda/steps.hpp"

namespace carat::ladder::cuda {

namespace {

constexpr int side = 16;
constexpr int threads = side * side;

template <class T>
inline constexpr int groups = 8 / vector<T>::size;  // of vectors, down and across: 8 x 8 elements
constexpr int tile = 8 * side;
template <class T>
inline constexpr int depth = 64 / int{sizeof(T)};  // of the tiles, along k

template <class T>
__global__ void __launch_bounds__(threads, resident<T>) double_buffered_kernel(product<T> p) {
    constexpr int size = vector<T>::size;
    __shared__ shared_tile<T, depth<T>, tile> a[2];
    __shared__ shared_tile<T, depth<T>, tile> b[2];
    const origin first = tile_origin(p.c, tile, tile);
    const int y = static_cast<int>(threadIdx.x) / side * size;
    const int x = static_cast<int>(threadIdx.x) % side * size;
    int rows[groups<T>], cols[groups<T>];
    for (int g = 0; g < groups<T>; ++g) {
        rows[g] = y + g * side * size;
        cols[g] = x + g * side * size;
    }

    tile_copier<T, depth<T>, tile, threads> copy_a(p.a.transposed(), first.i);
    tile_copier<T, depth<T>, tile, threads> copy_b(p.b, first.j);
    const auto start = [&](int buffer, std::int64_t k) {
        if (k >= p.a.cols) return;
        copy_a.start(a[buffer], k);
        copy_b.start(b[buffer], k);
        carat::cuda::commit_copies();
    };

    T sum[8][8] = {};
    int now = 0;
    start(now, 0);
    for (std::int64_t k = 0; k < p.a.cols; k += depth<T>, now ^= 1) {
        carat::cuda::wait_for_copies<0>();
        __syncthreads();
        start(now ^ 1, k + depth<T>);
        multiply_tiles(a[now], b[now], rows, cols, sum);
    }
    store_tiles(p, first, rows, cols, sum);
}

}  // namespace

template <class T>
plan<T> double_buffered_step::choose(int) {
    if constexpr (is_built<T>)
        return {double_buffered_kernel<T>, tile, tile, threads};
    else
        return {};
}
template plan<double> double_buffered_step::choose(int);
template plan<float> double_buffered_step::choose(int);
template plan<std::uint32_t> double_buffered_step::choose(int);

}  // namespace carat::ladder::cuda
