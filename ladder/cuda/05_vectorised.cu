// Step 5: memory is read in vectors of 16 bytes, global and shared: a quarter (f64: half) of the
// load instructions for the same bytes.
//
//     A thread owns vectors of elements instead of single ones (f32: 2 x 2 groups of 4 x 4):
//
//         x x x x o o o o x x x x o o o o       so two vectors of A and two of B feed 64 products.
//         x x x x o o o o x x x x o o o o
//
// f64 has two elements in a vector, so 4 x 4 groups. A thread asks for all its vectors of a tile
// before it waits for the first: one after the other cost f32 a fifth on an H200 (31.6 instead of
// 38.6 TFLOP/s at 4096^3) and put f64, with one block a multiprocessor to fill the waits, behind
// step 4 (10.3 instead of 16.5).
//
// Vectors need elements side by side and addresses divisible by 16. Where a matrix has them along
// x, a vector goes to shared memory as it is; along k, it is turned on its way. Tiles that stick
// out, odd strides and odd addresses take the elements one by one: always right, not always fast.
#include "ladder/cuda/steps.hpp"
#include "ladder/cuda/tiles.cuh"

namespace carat::ladder::cuda {

namespace {

constexpr int side = 16;
constexpr int threads = side * side;

template <class T>
inline constexpr int groups = 8 / vector<T>::size;  // of vectors, down and across: 8 x 8 elements
constexpr int tile = 8 * side;
constexpr int depth = 16;  // of the tiles, along k

template <class T, int Depth, int Width>
__device__ void load_tile(shared_tile<T, Depth, Width>& to, const matrix<const T>& m,
                          std::int64_t k0, std::int64_t x0) {
    constexpr int size = vector<T>::size;
    constexpr int loads = Depth * Width / size / threads;
    const bool whole = k0 + Depth <= m.rows && x0 + Width <= m.cols;
    const bool along_x = m.col_stride == 1 && aligned_for_vectors(m, m.row_stride);
    const bool along_k = m.row_stride == 1 && aligned_for_vectors(m, m.col_stride);
    if (whole && (along_x || along_k)) {
        const auto k_of = [&](int e) {
            return along_x ? e / (Width / size) : e % (Depth / size) * size;
        };
        const auto x_of = [&](int e) {
            return along_x ? e % (Width / size) * size : e / (Depth / size);
        };
        vector<T> own[loads];  // all are asked for before the first is waited for
#pragma unroll
        for (int v = 0; v < loads; ++v) {
            const int e = static_cast<int>(threadIdx.x) + v * threads;
            own[v] = *reinterpret_cast<const vector<T>*>(&m(k0 + k_of(e), x0 + x_of(e)));
        }
#pragma unroll
        for (int v = 0; v < loads; ++v) {
            const int e = static_cast<int>(threadIdx.x) + v * threads;
            T* const first = &to.at[k_of(e)][x_of(e)];
            if (along_x)
                *reinterpret_cast<vector<T>*>(first) = own[v];
            else
                for (int i = 0; i < size; ++i) first[i * (Width + size)] = own[v].at[i];
        }
    } else {
#pragma unroll 1
        for (int e = threadIdx.x; e < Depth * Width; e += threads)
            to.at[e / Width][e % Width] = m.or_zero(k0 + e / Width, x0 + e % Width);
    }
}

template <class T>
__global__ void __launch_bounds__(threads, resident<T>) vectorised_kernel(product<T> p) {
    constexpr int size = vector<T>::size;
    __shared__ shared_tile<T, depth, tile> a;
    __shared__ shared_tile<T, depth, tile> b;
    const origin first = tile_origin(p.c, tile, tile);
    const int y = static_cast<int>(threadIdx.x) / side * size;
    const int x = static_cast<int>(threadIdx.x) % side * size;
    int rows[groups<T>], cols[groups<T>];
    for (int g = 0; g < groups<T>; ++g) {
        rows[g] = y + g * side * size;
        cols[g] = x + g * side * size;
    }

    T sum[8][8] = {};
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

}  // namespace

template <class T>
plan<T> vectorised_step::choose(int) {
    if constexpr (is_built<T>)
        return {vectorised_kernel<T>, tile, tile, threads};
    else
        return {};
}
template plan<double> vectorised_step::choose(int);
template plan<float> vectorised_step::choose(int);
template plan<std::uint32_t> vectorised_step::choose(int);

}  // namespace carat::ladder::cuda
