// Step 5: memory is read in vectors of 16 bytes, global and shared: a quarter (f64: half) of the
// load instructions for the same bytes.
//
//     A thread owns vectors of elements instead of single ones (f32: 2 x 2 groups of 4 x 4):
//
//         x x x x o o o o x x x x o o o o       so two vectors of A and two of B feed 64 products.
//         x x x x o o o o x x x x o o o o
//
// Vectors need elements side by side and addresses divisible by 16. Where a matrix has them along
// x, a vector goes to shared memory as it is; along k, it is turned on its way. Tiles that stick
// out, odd strides and odd addresses take the elements one by one: always right, not always fast.
#include "ladder/cuda/step.cuh"
#include "ladder/cuda/steps.hpp"
#include "ladder/cuda/tiles.cuh"

namespace carat::ladder::cuda {

namespace {

constexpr int side = 16;
constexpr int threads = side * side;
constexpr int depth = 16;
constexpr int groups = 2;  // vectors of rows, and of columns, that a thread owns

template <class T>
inline constexpr int tile = side* groups* vector<T>::size;  // f32: 128, f64: 64

template <class T, int Width>
__device__ void load_tile(shared_tile<T, depth, Width>& to, const matrix<const T>& m,
                          std::int64_t k0, std::int64_t x0) {
    constexpr int size = vector<T>::size;
    const bool whole = k0 + depth <= m.rows && x0 + Width <= m.cols;
    const auto from = [&](int k, int x) {
        return *reinterpret_cast<const vector<T>*>(&m(k0 + k, x0 + x));
    };
    if (whole && m.col_stride == 1 && aligned_for_vectors(m, m.row_stride)) {
#pragma unroll 1
        for (int e = threadIdx.x; e < depth * Width / size; e += threads) {
            const int k = e / (Width / size);
            const int x = e % (Width / size) * size;
            *reinterpret_cast<vector<T>*>(&to.at[k][x]) = from(k, x);
        }
    } else if (whole && m.row_stride == 1 && aligned_for_vectors(m, m.col_stride)) {
#pragma unroll 1
        for (int e = threadIdx.x; e < depth * Width / size; e += threads) {
            const int k = e % (depth / size) * size;
            const int x = e / (depth / size);
            const vector<T> turned = from(k, x);
            for (int v = 0; v < size; ++v) to.at[k + v][x] = turned.at[v];
        }
    } else {
#pragma unroll 1
        for (int e = threadIdx.x; e < depth * Width; e += threads)
            to.at[e / Width][e % Width] = m.or_zero(k0 + e / Width, x0 + e % Width);
    }
}

template <class T>
__global__ void __launch_bounds__(threads, 2) vectorised_kernel(product<T> p) {
    constexpr int size = vector<T>::size;
    __shared__ shared_tile<T, depth, tile<T>> a;
    __shared__ shared_tile<T, depth, tile<T>> b;
    const origin first = tile_origin(p.c, tile<T>, tile<T>);
    const int y = static_cast<int>(threadIdx.x) / side * size;
    const int x = static_cast<int>(threadIdx.x) % side * size;
    const int rows[groups] = {y, y + side * size};
    const int cols[groups] = {x, x + side * size};

    T sum[groups * size][groups * size] = {};
    const matrix<const T> a_turned = p.a.transposed();
    for (std::int64_t k = 0; k < p.a.cols; k += depth) {
        load_tile(a, a_turned, k, first.i);
        load_tile(b, p.b, k, first.j);
        __syncthreads();
        multiply_tiles(a, b, rows, cols, sum);
        __syncthreads();
    }
    store_tiles(p, first, rows, cols, sum);
}

struct vectorised_step {
    static constexpr const char* name = "cuda.ladder.vectorised";

    template <class T, class, class>
    static plan<T, T, T> choose(const core::settings&) {
        return {vectorised_kernel<T>, tile<T>, tile<T>, threads};
    }
};

}  // namespace

constinit const core::implementation vectorised =
    plain_row<vectorised_step>("16 bytes at a time from global and from shared memory");

}  // namespace carat::ladder::cuda
