// Tensor cores as nvcuda::wmma offers them: which tile shapes a type has, what its fragments hold
// and what it sums in. A warp holds a fragment together; which lane has which element is unknown.
#pragma once

#include <mma.h>

#include "ladder/cuda/product.cuh"

namespace carat::ladder::cuda {

// Code for devices without a type's tensor cores is empty: unsupported() keeps it from being run.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
inline constexpr bool has_ampere_fragments = true;
using tf32 = nvcuda::wmma::precision::tf32;
__device__ inline float to_tf32(float value) {
    return nvcuda::wmma::__float_to_tf32(value);
}
#else
inline constexpr bool has_ampere_fragments = false;
struct tf32;
__device__ float to_tf32(float value);
#endif

template <int M, int N, int K, class Element, class Sum>
struct fragment_shape {
    static constexpr int m = M;
    static constexpr int n = N;
    static constexpr int k = K;
    using sum_type = Sum;
    template <class Layout = nvcuda::wmma::row_major>
    using a = nvcuda::wmma::fragment<nvcuda::wmma::matrix_a, M, N, K, Element, Layout>;
    template <class Layout = nvcuda::wmma::row_major>
    using b = nvcuda::wmma::fragment<nvcuda::wmma::matrix_b, M, N, K, Element, Layout>;
    template <class Layout = void>
    using sum = nvcuda::wmma::fragment<nvcuda::wmma::accumulator, M, N, K, Sum>;
};

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 720
inline constexpr bool has_integer_fragments = true;
#else
inline constexpr bool has_integer_fragments = false;
#endif

// Specialised for the type of the elements in memory.
template <class In>
struct fragments;
template <>
struct fragments<__half> : fragment_shape<16, 16, 16, __half, float> {
    static constexpr bool exists = true;
};
template <>
struct fragments<std::int8_t> : fragment_shape<16, 16, 16, signed char, int> {
    static constexpr bool exists = has_integer_fragments;
};
template <>
struct fragments<__nv_bfloat16> : fragment_shape<16, 16, 16, __nv_bfloat16, float> {
    static constexpr bool exists = has_ampere_fragments;
};
template <>
struct fragments<float> : fragment_shape<16, 16, 8, tf32, float> {
    static constexpr bool exists = has_ampere_fragments;
};
template <>
struct fragments<double> : fragment_shape<8, 8, 4, double, double> {
    static constexpr bool exists = has_ampere_fragments;
};

// f32 elements become tf32 by rounding to nearest; left alone, the hardware would cut them off.
template <class Fragment>
__device__ void round_to_precision(Fragment& fragment) {
    if constexpr (std::is_same_v<decltype(fragment.x[0]), float&> && has_ampere_fragments)
#pragma unroll
        for (int e = 0; e < fragment.num_elements; ++e) fragment.x[e] = to_tf32(fragment.x[e]);
}

// Stores a warp's fragment of sums, whose first element is C(i, j), by way of `patch`, m x n
// elements of shared memory that this warp alone uses.
template <class In, class Out, class Sum, class Fragment>
__device__ void store_fragment(const product<In, Out, Sum>& p, std::int64_t i, std::int64_t j,
                               const Fragment& sum, typename fragments<In>::sum_type* patch) {
    constexpr int m = fragments<In>::m;
    constexpr int n = fragments<In>::n;
    __syncwarp();
    nvcuda::wmma::store_matrix_sync(patch, sum, n, nvcuda::wmma::mem_row_major);
    __syncwarp();
    // A lane keeps to its column: one test for that, and a pointer that moves down.
    const int lane = static_cast<int>(threadIdx.x) % 32;
    i += lane / n;
    j += lane % n;
    const std::int64_t rows = j < p.c.cols ? p.c.rows - i : 0;
    Out* c = &p.c(i, j);
#pragma unroll
    for (int r = 0; r < m; r += 32 / n) {
        if (r < rows) update(p, *c, static_cast<Sum>(patch[r * n + lane]));
        c += 32 / n * p.c.row_stride;
    }
}

}  // namespace carat::ladder::cuda
