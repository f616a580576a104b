// C = alpha A B + beta C as the kernels get it, and what all of them share: which tile of C a block
// computes, and how a finished sum goes into C.
//
//     grid: one block a tile of C, numbered row by row     0 1 2      in one dimension, because
//     only
//                                                          3 4 5      grid.x may exceed 65535
#pragma once

#include <cstdint>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "core/problem.hpp"
#include "cuda/common/matrix.cuh"

namespace carat::ladder::cuda {

using carat::cuda::matrix;

// Types: elements of A and B (In) and of C (Out), and the type of sums and factors (Sum). 32-bit
// integers are std::uint32_t throughout: the same bits, and overflow wraps instead of being
// undefined.
template <class In, class Out = In, class Sum = Out>
struct product {
    matrix<const In> a;
    matrix<const In> b;
    matrix<Out> c;
    Sum alpha;
    Sum beta;
};

template <class Sum>
[[nodiscard]] Sum factor(double value) {
    if constexpr (std::is_integral_v<Sum>)
        return static_cast<Sum>(static_cast<std::int64_t>(value));
    else
        return static_cast<Sum>(value);
}

// The product a kernel computes for problem `p`. With alpha = 0 it has no terms, so A and B stay
// unread. A column-major C is computed as C^T = B^T A^T, so that kernels always write along rows.
template <class In, class Out, class Sum>
[[nodiscard]] product<In, Out, Sum> make_product(const core::problem& p,
                                                 const core::operands& data) {
    const std::int64_t terms = p.alpha == 0 ? 0 : p.k;
    const auto alpha = factor<Sum>(terms == 0 ? 0 : p.alpha);
    const auto beta = factor<Sum>(p.beta);
    const matrix<const In> a{static_cast<const In*>(data.a), p.m, terms, p.a_layout.row_stride,
                             p.a_layout.col_stride};
    const matrix<const In> b{static_cast<const In*>(data.b), terms, p.n, p.b_layout.row_stride,
                             p.b_layout.col_stride};
    const matrix<Out> c{static_cast<Out*>(data.c), p.m, p.n, p.c_layout.row_stride,
                        p.c_layout.col_stride};
    if (c.row_stride < c.col_stride)
        return {b.transposed(), a.transposed(), c.transposed(), alpha, beta};
    return {a, b, c, alpha, beta};
}

// How many blocks of 256 threads with 8 x 8 sums a thread share a multiprocessor: the compiler
// keeps to the registers that leaves. Before 9.0 it can't do with half of them.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
template <class T>
inline constexpr int resident = 1;
#else
template <class T>
inline constexpr int resident = sizeof(T) == 8 ? 1 : 2;
#endif

struct origin {
    std::int64_t i;
    std::int64_t j;
};

// The first row and column of this block's tile of C.
template <class T>
[[nodiscard]] __device__ origin tile_origin(const matrix<T>& c, int tile_m, int tile_n) {
    const auto across = static_cast<unsigned>((c.cols + tile_n - 1) / tile_n);
    return {std::int64_t{blockIdx.x / across} * tile_m, std::int64_t{blockIdx.x % across} * tile_n};
}

// c = alpha sum + beta c. beta = 0 does not read it.
template <class In, class Out, class Sum>
__device__ void update(const product<In, Out, Sum>& p, Out& c, Sum sum) {
    const Sum scaled = p.alpha * sum;
    c = static_cast<Out>(p.beta == Sum{0} ? scaled : scaled + p.beta * static_cast<Sum>(c));
}

// The same for C(i, j), where there is such an element.
template <class In, class Out, class Sum>
__device__ void store(const product<In, Out, Sum>& p, std::int64_t i, std::int64_t j, Sum sum) {
    if (p.c.contains(i, j)) update(p, p.c(i, j), sum);
}

// The same for C(i, j) and its right neighbour; where nothing is in the way, as one word.
__device__ __forceinline__ void store_pair(const product<__nv_bfloat16, __nv_bfloat16, float>& p,
                                           std::int64_t i, std::int64_t j, float left,
                                           float right) {
    if (p.beta == 0 && i < p.c.rows && j + 1 < p.c.cols) {
        *reinterpret_cast<__nv_bfloat162*>(&p.c(i, j)) =
            __floats2bfloat162_rn(p.alpha * left, p.alpha * right);
    } else {
        store(p, i, j, left);
        store(p, i, j + 1, right);
    }
}

}  // namespace carat::ladder::cuda
