// Step 8: tensor cores. One instruction of a warp multiplies a 16 x 16 tile of A with one of B and
// adds it to a tile of sums (f64: 8 x 8 x 4, tf32: 16 x 16 x 8).
//
//     warp 0   warp 1   warp 2   warp 3       Each warp computes one such tile of C, all of its
//     [16x16]  [16x16]  [16x16]  [16x16]      lanes together, and loads its operands straight from
//     <----------- one block -------->        global memory, as step 1 did with single elements.
//
// The hardware loads only whole, aligned, contiguous tiles. Any other tile (at an edge, strided,
// at an odd address) is first copied to a patch of shared memory, with zeros beyond the edges.
#include "ladder/cuda/fragments.cuh"
#include "ladder/cuda/tensor_types.cuh"

namespace carat::ladder::cuda {

namespace {

constexpr int warps = 4;

// Loads the Rows x Cols tile of `m` at (i, j).
template <int Rows, int Cols, class Fragment, class T>
__device__ void load_fragment(Fragment& fragment, const matrix<const T>& m, std::int64_t i,
                              std::int64_t j, T* patch) {
    const bool direct = i + Rows <= m.rows && j + Cols <= m.cols && m.col_stride == 1 &&
                        m.row_stride % (16 / int{sizeof(T)}) == 0 && m.row_stride < (1 << 28) &&
                        reinterpret_cast<std::uintptr_t>(&m(i, j)) % 32 == 0;
    if (direct) {
        nvcuda::wmma::load_matrix_sync(fragment, &m(i, j), static_cast<unsigned>(m.row_stride));
    } else {
        __syncwarp();
        for (int e = static_cast<int>(threadIdx.x) % 32; e < Rows * Cols; e += 32)
            patch[e] = m.or_zero(i + e / Cols, j + e % Cols);
        __syncwarp();
        nvcuda::wmma::load_matrix_sync(fragment, patch, Cols);
    }
    round_to_precision(fragment);
}

template <class In, class Out, class Sum>
__global__ void __launch_bounds__(32 * warps) wmma_kernel(product<In, Out, Sum> p) {
    using f = fragments<In>;
    if constexpr (f::exists) {
        __shared__ alignas(32) In a_patch[warps][f::m * f::k];
        __shared__ alignas(32) In b_patch[warps][f::k * f::n];
        __shared__ alignas(32) typename f::sum_type c_patch[warps][f::m * f::n];
        const int warp = static_cast<int>(threadIdx.x) / 32;
        const origin first = tile_origin(p.c, f::m, warps * f::n);
        const std::int64_t j = first.j + warp * f::n;

        typename f::template sum<> sum;
        nvcuda::wmma::fill_fragment(sum, 0);
        for (std::int64_t k = 0; k < p.a.cols; k += f::k) {
            typename f::template a<> a;
            typename f::template b<> b;
            load_fragment<f::m, f::k>(a, p.a, first.i, k, a_patch[warp]);
            load_fragment<f::k, f::n>(b, p.b, k, j, b_patch[warp]);
            nvcuda::wmma::mma_sync(sum, a, b, sum);
        }
        store_fragment(p, first.i, j, sum, c_patch[warp]);
    }
}

}  // namespace

template <class In, class Out, class Sum>
plan<In, Out, Sum> wmma_step::choose(int) {
    using f = fragments<In>;
    if constexpr (is_built<In>)
        return {wmma_kernel<In, Out, Sum>, f::m, warps * f::n, 32 * warps};
    else
        return {};
}
CARAT_TENSOR_TYPES(wmma_step)

}  // namespace carat::ladder::cuda
