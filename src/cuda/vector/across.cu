// Lines beside each other: at each k a few lanes read as many neighbours, and groups of lanes take
// the k in turn; so do the blocks of a cluster. Their sums meet in shared memory, in a fixed order.
//
//     k = 0   group 0 of block 0     lane 0  lane 1  ...      16 lanes of 16 bytes, or 32 of one
//     k = 1   group 1 of block 0     lane 0  lane 1  ...      element
//     ...     groups of block 1
#include "cuda/ptx/cluster.cuh"
#include "cuda/vector/elements.cuh"

namespace carat::cuda::vector {

namespace {

constexpr int threads = 256;

template <class T, bool InVectors>
struct shape {
    static constexpr int size = at_once<T, InVectors>;
    static constexpr int lanes = InVectors ? 16 : 32;
    static constexpr int groups = threads / lanes;
    static constexpr int lines = lanes * size;
};

// The sums of a lane's lines from `line` on, over every step-th k from `first` on.
template <class T, int Size>
__device__ __forceinline__ void add_up(sum_of<T> (&sums)[Size], const arguments& p,
                                       std::int64_t line, std::int64_t first, std::int64_t step) {
    using vector = some<T, Size>;
    const T* const x = static_cast<const T*>(p.x);
    const T* const matrix = static_cast<const T*>(p.matrix) + line * (Size > 1 ? 1 : p.across);
#pragma unroll 8
    for (std::int64_t k = first; k < p.depth; k += step) {
        const T factor = x[k * p.x_step];
        const vector of_k = *reinterpret_cast<const vector*>(matrix + k * p.along);
#pragma unroll
        for (int i = 0; i < Size; ++i) add_product(sums[i], of_k.of[i], factor);
    }
}

// The same of a vector that the last line cuts off.
template <class T, int Size>
__device__ void add_up_edge(sum_of<T> (&sums)[Size], const arguments& p, std::int64_t line,
                            std::int64_t first, std::int64_t step) {
    const T* const x = static_cast<const T*>(p.x);
    const T* const matrix = static_cast<const T*>(p.matrix) + line;
    for (std::int64_t k = first; k < p.depth; k += step)
#pragma unroll
        for (int i = 0; i < Size; ++i)
            if (line + i < p.lines) add_product(sums[i], matrix[k * p.along + i], x[k * p.x_step]);
}

template <class T, bool InVectors>
__global__ void __launch_bounds__(threads) across_kernel(const __grid_constant__ arguments p) {
    using s = shape<T, InVectors>;
    using sum = sum_of<T>;
    __shared__ sum of_group[s::groups][s::lines];
    __shared__ sum of_block[s::lines];
    const int part = ptx::rank_in_cluster();
    const int parts = ptx::blocks_of_cluster();
    const int lane = static_cast<int>(threadIdx.x) % s::lanes;
    const int group = static_cast<int>(threadIdx.x) / s::lanes;
    const std::int64_t base = std::int64_t{blockIdx.x} / parts * s::lines;
    const std::int64_t line = base + lane * s::size;
    const std::int64_t step = std::int64_t{parts} * s::groups;
    ptx::let_dependents_begin();
    ptx::wait_for_predecessors();
    sum sums[s::size] = {};
    const std::int64_t first = part * s::groups + group;
    if (line + s::size <= p.lines)
        add_up<T, s::size>(sums, p, line, first, step);
    else if (s::size > 1 && line < p.lines)
        add_up_edge<T, s::size>(sums, p, line, first, step);
#pragma unroll
    for (int i = 0; i < s::size; ++i) of_group[group][lane * s::size + i] = sums[i];
    __syncthreads();
    const auto own = static_cast<int>(threadIdx.x);
    if (own < s::lines) {
        sum total = of_group[0][own];
#pragma unroll 4
        for (int g = 1; g < s::groups; ++g) total += of_group[g][own];
        of_block[own] = total;
    }
    if (parts > 1) ptx::meet_cluster_and_see();
    if (part == 0 && own < s::lines && base + own < p.lines) {
        sum total = of_block[own];
        for (int other = 1; other < parts; ++other) total += ptx::read_at(&of_block[own], other);
        write<T>(p, base + own, total);
    }
    // A block must not leave while its sums are read.
    if (parts > 1) ptx::meet_cluster();
}

template <class T>
[[nodiscard]] const kernel& of_type(bool in_vectors) {
    static const kernel both[] = {
        {"vector_across_elements", reinterpret_cast<const void*>(across_kernel<T, false>), threads,
         shape<T, false>::lines},
        {"vector_across", reinterpret_cast<const void*>(across_kernel<T, true>), threads,
         shape<T, true>::lines}};
    return both[in_vectors ? 1 : 0];
}

}  // namespace

const kernel& across(dtype type, bool in_vectors) {
    if (type == dtype::f64) return of_type<double>(in_vectors);
    if (type == dtype::f32) return of_type<float>(in_vectors);
    if (type == dtype::f16) return of_type<__half>(in_vectors);
    return of_type<__nv_bfloat16>(in_vectors);
}

}  // namespace carat::cuda::vector
