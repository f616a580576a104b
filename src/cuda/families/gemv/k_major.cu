// GEMV of a K-major matrix: a CTA has one or four lines, its threads share their K. Each reads its
// part of x once for all lines, and issues all loads of a step before it waits for the first.
// Short lines would leave most threads idle, so there eight lanes share four lines.
#include "cuda/families/gemv/elements.cuh"

namespace carat::cuda::gemv {

namespace {

constexpr int threads = 128;
constexpr int warps = threads / 32;

// The sum over a warp, in the same order always.
template <class Sum>
__device__ __forceinline__ Sum over_warp(Sum x) {
#pragma unroll
    for (int apart = 16; apart > 0; apart /= 2) x += __shfl_xor_sync(~0U, x, apart);
    return x;
}

template <class T, int Size, int Lines>
__device__ __forceinline__ void add_up(sum_of<T> (&sums)[Lines], const T* const (&line)[Lines],
                                       const arguments& p) {
    using vector = some<T, Size>;
    const T* const x = x_of<T>(p);
    const std::int64_t whole = p.depth / Size * Size;
    // Vectors are contiguous; single elements may have a stride.
    const std::int64_t along = Size > 1 ? 1 : p.along;
    const std::int64_t x_step = Size > 1 ? 1 : p.x_step;
#pragma unroll(Lines == 1 ? 8 : 2)
    for (std::int64_t k = threadIdx.x * Size; k < whole; k += threads * Size) {
        const vector own = *reinterpret_cast<const vector*>(x + k * x_step);
        vector of_line[Lines];
#pragma unroll
        for (int l = 0; l < Lines; ++l)
            of_line[l] = *reinterpret_cast<const vector*>(line[l] + k * along);
#pragma unroll
        for (int l = 0; l < Lines; ++l)
#pragma unroll
            for (int i = 0; i < Size; ++i) add_product(sums[l], of_line[l].of[i], own.of[i]);
    }
    const std::int64_t k = whole + threadIdx.x;  // Size > 1: what no vector holds
    if (k < p.depth)
#pragma unroll
        for (int l = 0; l < Lines; ++l) add_product(sums[l], line[l][k * along], x[k * x_step]);
}

template <class T, bool InVectors, int Lines>
__global__ void __launch_bounds__(threads)
    gemv_k_major_kernel(const __grid_constant__ arguments p) {
    using sum = sum_of<T>;
    __shared__ sum of_warp[warps][Lines];
    const std::int64_t first = std::int64_t{blockIdx.x} * Lines;
    const T* line[Lines];
#pragma unroll
    for (int l = 0; l < Lines; ++l)  // beyond the last line, that one again
        line[l] = matrix_of<T>(p) + min(first + l, p.lines - 1) * p.across;
    ptx::pdl_trigger();
    ptx::pdl_wait();
    sum sums[Lines] = {};
    add_up<T, at_once<T, InVectors>, Lines>(sums, line, p);
#pragma unroll
    for (int l = 0; l < Lines; ++l) {
        const sum total = over_warp(sums[l]);
        if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32][l] = total;
    }
    __syncthreads();
    const auto own = static_cast<int>(threadIdx.x);
    if (own >= Lines || first + own >= p.lines) return;
    sum total = of_warp[0][own];
#pragma unroll
    for (int w = 1; w < warps; ++w) total += of_warp[w][own];
    write<T>(p, first + own, total);
}

constexpr int lanes = 8;
constexpr int groups = threads / lanes;
constexpr int lines_of_group = 4;

template <class T>
__global__ void __launch_bounds__(threads)
    gemv_short_lines_kernel(const __grid_constant__ arguments p) {
    constexpr int size = at_once<T, true>;
    using vector = some<T, size>;
    const auto lane = static_cast<int>(threadIdx.x) % lanes;
    const std::int64_t first =
        std::int64_t{blockIdx.x} * groups * lines_of_group + threadIdx.x / lanes;
    const T* line[lines_of_group];
#pragma unroll
    for (int l = 0; l < lines_of_group; ++l)  // beyond the last line, that one again
        line[l] = matrix_of<T>(p) + min(first + l * groups, p.lines - 1) * p.across;
    const T* const x = x_of<T>(p);
    ptx::pdl_trigger();
    ptx::pdl_wait();
    sum_of<T> sums[lines_of_group] = {};
    const std::int64_t whole = p.depth / size * size;
#pragma unroll 2
    for (std::int64_t k = lane * size; k < whole; k += lanes * size) {
        const vector own = *reinterpret_cast<const vector*>(x + k);
        vector of_line[lines_of_group];
#pragma unroll
        for (int l = 0; l < lines_of_group; ++l)
            of_line[l] = *reinterpret_cast<const vector*>(line[l] + k);
#pragma unroll
        for (int l = 0; l < lines_of_group; ++l)
#pragma unroll
            for (int i = 0; i < size; ++i) add_product(sums[l], of_line[l].of[i], own.of[i]);
    }
    const std::int64_t k = whole + lane;  // what no vector holds
#pragma unroll
    for (int l = 0; l < lines_of_group; ++l) {
        if (k < p.depth) add_product(sums[l], line[l][k], x[k]);
#pragma unroll
        for (int apart = lanes / 2; apart > 0; apart /= 2)
            sums[l] += __shfl_xor_sync(~0U, sums[l], apart);
        if (lane == l && first + l * groups < p.lines) write<T>(p, first + l * groups, sums[l]);
    }
}

template <class T>
[[nodiscard]] const kernel& of_short_lines() {
    static const kernel it = {"gemv_short_lines",
                              reinterpret_cast<const void*>(gemv_short_lines_kernel<T>), threads,
                              groups * lines_of_group};
    return it;
}

template <class T, bool InVectors, int Lines>
[[nodiscard]] const kernel& with() {
    static const kernel it = {
        InVectors ? "gemv_k_major" : "gemv_k_major_elements",
        reinterpret_cast<const void*>(gemv_k_major_kernel<T, InVectors, Lines>), threads, Lines};
    return it;
}

template <class T>
[[nodiscard]] const kernel& of_type(bool in_vectors, bool many) {
    if (in_vectors) return many ? with<T, true, 4>() : with<T, true, 1>();
    return many ? with<T, false, 4>() : with<T, false, 1>();
}

}  // namespace

const kernel& k_major(dtype type, bool in_vectors, bool many) {
    if (type == dtype::f64) return of_type<double>(in_vectors, many);
    if (type == dtype::f32) return of_type<float>(in_vectors, many);
    if (type == dtype::f16) return of_type<__half>(in_vectors, many);
    return of_type<__nv_bfloat16>(in_vectors, many);
}

const kernel& short_lines(dtype type) {
    if (type == dtype::f64) return of_short_lines<double>();
    if (type == dtype::f32) return of_short_lines<float>();
    if (type == dtype::f16) return of_short_lines<__half>();
    return of_short_lines<__nv_bfloat16>();
}

}  // namespace carat::cuda::gemv
