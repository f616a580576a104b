// GEMV of an MN-major matrix: at each k a few lanes read as many neighbours, and groups of lanes
// take the k in turn; so do the CTAs of a split-K cluster. Their sums meet in shared memory, in a
// fixed order.
//
//     k = 0   group 0 of CTA 0     lane 0  lane 1  ...      8 lanes of 16 bytes, or 32 of one
//     k = 1   group 1 of CTA 0     lane 0  lane 1  ...      element
//     ...     groups of CTA 1
#include "cuda/families/gemv/elements.cuh"
#include "cuda/ptx/cluster.cuh"

namespace carat::cuda::gemv {

namespace {

constexpr int threads = 256;

template <class T, bool InVectors>
struct shape {
    static constexpr int size = at_once<T, InVectors>;
    static constexpr int lanes = InVectors ? 8 : 32;
    static constexpr int groups = threads / lanes;
    static constexpr int lines = lanes * size;
};

// Adds the products of `Batch` values of k, one step apart. All loads are issued before the first
// is waited for.
template <int Batch, class T, int Size>
__device__ __forceinline__ void add_batch(sum_of<T> (&sums)[Size], const T*& at, const T*& x,
                                          std::int64_t at_step, std::int64_t x_step) {
    using vector = some<T, Size>;
    vector of_k[Batch];
    T factor[Batch];
#pragma unroll
    for (int b = 0; b < Batch; ++b) {
        of_k[b] = *reinterpret_cast<const vector*>(at);
        factor[b] = *x;
        at += at_step;
        x += x_step;
    }
#pragma unroll
    for (int b = 0; b < Batch; ++b)
#pragma unroll
        for (int i = 0; i < Size; ++i) add_product(sums[i], of_k[b].of[i], factor[b]);
}

// The sums of a lane's lines from `line` on, over every step-th k from `first` on.
template <class T, int Size>
__device__ __forceinline__ void add_up(sum_of<T> (&sums)[Size], const arguments& p,
                                       std::int64_t line, std::int64_t first, std::int64_t step) {
    const T* x = x_of<T>(p) + first * p.x_step;
    const T* at = matrix_of<T>(p) + line * (Size > 1 ? 1 : p.across) + first * p.along;
    const std::int64_t at_step = step * p.along;
    const std::int64_t x_step = step * p.x_step;
    std::int64_t left = first < p.depth ? (p.depth - first - 1) / step + 1 : 0;
#pragma unroll 1
    for (; left >= 8; left -= 8) add_batch<8, T, Size>(sums, at, x, at_step, x_step);
    if ((left & 4) != 0) add_batch<4, T, Size>(sums, at, x, at_step, x_step);
    if ((left & 2) != 0) add_batch<2, T, Size>(sums, at, x, at_step, x_step);
    if ((left & 1) != 0) add_batch<1, T, Size>(sums, at, x, at_step, x_step);
}

// The same for a vector that reaches beyond the last line.
template <class T, int Size>
__device__ void add_up_edge(sum_of<T> (&sums)[Size], const arguments& p, std::int64_t line,
                            std::int64_t first, std::int64_t step) {
    const T* const x = x_of<T>(p);
    const T* const matrix = matrix_of<T>(p) + line;
    for (std::int64_t k = first; k < p.depth; k += step)
#pragma unroll
        for (int i = 0; i < Size; ++i)
            if (line + i < p.lines) add_product(sums[i], matrix[k * p.along + i], x[k * p.x_step]);
}

// Adds up what all groups of a CTA have for a line.
template <class T, class Shape>
__device__ __forceinline__ sum_of<T> over_groups(
    const sum_of<T> (&of_group)[Shape::groups][Shape::lines], int line) {
    sum_of<T> total = of_group[0][line];
#pragma unroll 8
    for (int g = 1; g < Shape::groups; ++g) total += of_group[g][line];
    return total;
}

template <class T, bool InVectors>
__global__ void __launch_bounds__(threads, 4)
    gemv_mn_major_kernel(const __grid_constant__ arguments p) {
    using s = shape<T, InVectors>;
    using sum = sum_of<T>;
    __shared__ sum of_group[s::groups][s::lines];
    __shared__ sum of_split[8][s::lines];
    __shared__ ptx::barrier arrived;
    const int split = ptx::cluster_rank();
    const int split_k = ptx::cluster_size();
    const auto own = static_cast<int>(threadIdx.x);
    if (split_k > 1 && own == 0) {
        ptx::init_barrier(arrived, 1);
        ptx::fence_barrier_init();
        ptx::arrive_and_expect_tx(arrived, split_k * s::lines * static_cast<int>(sizeof(sum)));
    }
    if (split_k > 1) ptx::cluster_arrive_relaxed();
    const std::int64_t base = std::int64_t{blockIdx.x} / split_k * s::lines;
    const std::int64_t line = base + own % s::lanes * s::size;
    const std::int64_t step = std::int64_t{split_k} * s::groups;
    const std::int64_t first = split * s::groups + own / s::lanes;
    ptx::pdl_trigger();
    ptx::pdl_wait();
    sum sums[s::size] = {};
    if (line + s::size <= p.lines)
        add_up<T, s::size>(sums, p, line, first, step);
    else if (s::size > 1 && line < p.lines)
        add_up_edge<T, s::size>(sums, p, line, first, step);
#pragma unroll
    for (int i = 0; i < s::size; ++i)
        of_group[own / s::lanes][own % s::lanes * s::size + i] = sums[i];
    __syncthreads();
    if (split_k > 1) ptx::cluster_wait();  // the first CTA's barrier is made
    if (own >= s::lines) return;
    sum total = over_groups<T, s>(of_group, own);
    if (split_k > 1) {
        ptx::store_async(ptx::map_shared_rank(ptx::shared_address(&of_split[split][own]), 0), total,
                         ptx::map_shared_rank(ptx::shared_address(&arrived), 0));
        if (split != 0) return;
        ptx::wait_for(arrived, 0);
        total = of_split[0][own];
        for (int from = 1; from < split_k; ++from) total += of_split[from][own];
    }
    if (base + own < p.lines) write<T>(p, base + own, total);
}

template <class T>
[[nodiscard]] const kernel& of_type(bool in_vectors) {
    static const kernel both[] = {
        {"gemv_mn_major_elements", reinterpret_cast<const void*>(gemv_mn_major_kernel<T, false>),
         threads, shape<T, false>::lines},
        {"gemv_mn_major", reinterpret_cast<const void*>(gemv_mn_major_kernel<T, true>), threads,
         shape<T, true>::lines}};
    return both[in_vectors ? 1 : 0];
}

}  // namespace

const kernel& mn_major(dtype type, bool in_vectors) {
    if (type == dtype::f64) return of_type<double>(in_vectors);
    if (type == dtype::f32) return of_type<float>(in_vectors);
    if (type == dtype::f16) return of_type<__half>(in_vectors);
    return of_type<__nv_bfloat16>(in_vectors);
}

}  // namespace carat::cuda::gemv
