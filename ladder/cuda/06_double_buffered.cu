// Step 6: two tiles of each operand. While a block multiplies one pair, cp.async fills the other,
// past the registers; the wait for memory of steps 3 to 5 disappears behind arithmetic.
//
//     copy      | 0 | 1 | 2 | 3 |          One barrier a tile is enough: whoever passes it knows
//     multiply      | 0 | 1 | 2 | 3 |      that the next pair has arrived and that everybody is
//               ---- time --------->       done with the pair that is overwritten now.
//
// cp.async copies 4, 8 or 16 bytes, so every layout takes this way, elements one by one if need be.
#include "ladder/cuda/async_tile.cuh"
#include "ladder/cuda/step.cuh"
#include "ladder/cuda/steps.hpp"

namespace carat::ladder::cuda {

namespace {

constexpr int side = 16;
constexpr int threads = side * side;
constexpr int depth = 16;
constexpr int groups = 2;

template <class T>
inline constexpr int tile = side* groups* vector<T>::size;  // f32: 128, f64: 64

template <class T>
__global__ void __launch_bounds__(threads, 2) double_buffered_kernel(product<T> p) {
    constexpr int size = vector<T>::size;
    __shared__ shared_tile<T, depth, tile<T>> a[2];
    __shared__ shared_tile<T, depth, tile<T>> b[2];
    const origin first = tile_origin(p.c, tile<T>, tile<T>);
    const int y = static_cast<int>(threadIdx.x) / side * size;
    const int x = static_cast<int>(threadIdx.x) % side * size;
    const int rows[groups] = {y, y + side * size};
    const int cols[groups] = {x, x + side * size};

    const tile_copier<T, depth, tile<T>, threads> copy_a(p.a.transposed(), first.i);
    const tile_copier<T, depth, tile<T>, threads> copy_b(p.b, first.j);
    const auto start = [&](int buffer, std::int64_t k) {
        if (k >= p.a.cols) return;
        copy_a.start(a[buffer], k);
        copy_b.start(b[buffer], k);
        carat::cuda::commit_copies();
    };

    T sum[groups * size][groups * size] = {};
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

struct double_buffered_step {
    static constexpr const char* name = "cuda.ladder.double_buffered";

    template <class T, class, class>
    static plan<T, T, T> choose(const core::settings&) {
        return {double_buffered_kernel<T>, tile<T>, tile<T>, threads};
    }
};

}  // namespace

constinit const core::implementation double_buffered =
    plain_row<double_buffered_step>("cp.async fills one pair of tiles while another is multiplied");

}  // namespace carat::ladder::cuda
