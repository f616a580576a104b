// What all kernels share: which tile of C a block computes, and how a finished sum goes into C.
//
//     grid: one block a tile of C, numbered row by row     0 1 2      in one dimension, because
//     only
//                                                          3 4 5      grid.x may exceed 65535
#pragma once

#include <cstdint>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "ladder/cuda/product.hpp"

namespace carat::ladder::cuda {

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
