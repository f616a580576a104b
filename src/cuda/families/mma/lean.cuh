// The kernel of batches that ask for nothing special: 16-bit operands and C by rows, all of which
// begin at multiples of 16 bytes, C = alpha A B. Such batches often take 2 us, as long as it takes
// to fetch the instructions of a kernel that can do everything: code that runs once costs some 4
// cycles an instruction. So this one has few of them, divides by nothing and has few arguments.
//
//     grid: tiles along M x tiles along N x products
#pragma once

#include "cuda/common/async_copy.cuh"
#include "cuda/common/async_part.cuh"
#include "cuda/families/mma/half.cuh"
#include "cuda/families/mma/kernel.cuh"
#include "cuda/families/mma/lean.hpp"

namespace carat::cuda::mma {

// Loads `Lines` lines of an operand: each thread pieces of 16 bytes, one below the other. What is
// beyond the operand is 0, and not read: where many threads read the last line instead, L2 has a
// queue for it.
template <class C, lies Lies, int Lines>
class lean_loader {
    using element = typename C::element;
    using tile = tile_in_shared<typename C::math, Lies, Lines>;
    static constexpr bool along_k = Lies == lies::along_k;
    static constexpr int piece = 16 / static_cast<int>(sizeof(element));
    static constexpr unsigned of_run = (along_k ? C::block_k : Lines) / piece;
    static constexpr int runs = along_k ? Lines : C::block_k;
    static constexpr int at_once = C::threads / static_cast<int>(of_run);
    static constexpr int count = runs > at_once ? runs / at_once : 1;
    static constexpr int stride_there = along_k ? tile::along_stride : tile::across_stride;
    static_assert(C::threads % of_run == 0 && (runs % at_once == 0 || at_once % runs == 0));

  public:
    __device__ __forceinline__ lean_loader(const lean_operand& of, int product, int first,
                                           int lines, int depth, element* shared) {
        const auto run = static_cast<int>(threadIdx.x / of_run);
        const auto along = static_cast<int>(threadIdx.x % of_run * piece);
        stride_ = of.run_stride;
        from_ = static_cast<const element*>(of.data) + product * of.product_stride +
                std::int64_t{stride_} * (along_k ? first + run : run) +
                (along_k ? along : first + along);
        lines_left_ = lines - first - (along_k ? run : along);
        depth_left_ = depth - (along_k ? along : run);
        there_ = shared + run * stride_there + along;
    }

    // Starts copying to the stage that begins so many elements after the first, and goes on to the
    // next one.
    __device__ __forceinline__ void start(int stage) {
        if (at_once > runs && threadIdx.x >= runs * of_run) return;
#pragma unroll
        for (int i = 0; i < count; ++i) {
            const int passed = i * at_once;
            const bool inside =
                lines_left_ > (along_k ? passed : 0) && depth_left_ > (along_k ? 0 : passed);
            copy_part_async<16>(there_ + stage + passed * stride_there,
                                from_ + std::int64_t{stride_} * passed, inside ? 16 : 0);
        }
        from_ += along_k ? C::block_k : std::int64_t{stride_} * C::block_k;
        depth_left_ -= C::block_k;
    }

  private:
    const element* from_;
    element* there_;
    int stride_;
    int lines_left_;  // from the thread's first piece on
    int depth_left_;
};

// A warp's sums in shared memory, where rows are 16 bytes further apart than they are long.
template <class C>
inline constexpr int slab_stride = C::warp_n + 8;
template <class C>
inline constexpr int slab_elements = (C::warp_n + 8) * C::warp_m;

// Stores a warp's sums from there where rows of C begin or end anywhere.
template <class C>
__device__ __forceinline__ void store_singly(const lean_arguments& p, int product, int row, int col,
                                             const typename C::narrow* slab) {
    constexpr int stride = slab_stride<C>;
    auto* c = static_cast<typename C::narrow*>(p.c) + product * p.c_product_stride;
#pragma unroll 1
    for (int i = static_cast<int>(threadIdx.x % 32); i < C::warp_m * C::warp_n; i += 32) {
        const int down = i / C::warp_n;
        const int right = i % C::warp_n;
        if (row + down < p.m && col + right < p.n)
            c[std::int64_t{p.c_row_stride} * (row + down) + col + right] =
                slab[down * stride + right];
    }
}

// Stores a warp's sums through shared memory, so that eight lanes or fewer write a whole row.
template <class C>
__device__ __forceinline__ void store_lean(const accumulators<C>& sums, const lean_arguments& p,
                                           int product, int row, int col,
                                           typename C::narrow* slab) {
    using narrow = typename C::narrow;
    constexpr int stride = slab_stride<C>;
    constexpr int piece = 8;
    constexpr unsigned of_row = C::warp_n / piece;
    constexpr int rows_at_once = 32 / static_cast<int>(of_row);
    const unsigned lane = threadIdx.x % 32;
    const auto own_row = static_cast<int>(lane / of_row);
    const auto own_col = static_cast<int>(lane % of_row * piece);
    auto* c = static_cast<narrow*>(p.c) + product * p.c_product_stride +
              std::int64_t{p.c_row_stride} * (row + own_row) + col + own_col;
    narrow* const to = slab + lane / 4 * stride + lane % 4 * 2;
#pragma unroll
    for (int i = 0; i < accumulators<C>::down; ++i)
#pragma unroll
        for (int j = 0; j < accumulators<C>::across; ++j)
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                neighbours<narrow, 2> two;
                two.of[0] = static_cast<narrow>(fmaf(p.alpha, sums.at[i][j][2 * half], 0.0f));
                two.of[1] = static_cast<narrow>(fmaf(p.alpha, sums.at[i][j][2 * half + 1], 0.0f));
                *reinterpret_cast<neighbours<narrow, 2>*>(to + (i * 16 + half * 8) * stride +
                                                          j * 8) = two;
            }
    __syncwarp();
    if (!p.is_vectorized) return store_singly<C>(p, product, row, col, slab);
    const int rows = p.m - row - own_row;
    if (col + own_col >= p.n) return;
    const narrow* const from = slab + own_row * stride + own_col;
    const std::int64_t next = std::int64_t{p.c_row_stride} * rows_at_once;
#pragma unroll
    for (int i = 0; i < C::warp_m / rows_at_once; ++i, c += next)
        if (i * rows_at_once < rows)
            *reinterpret_cast<uint4*>(c) =
                *reinterpret_cast<const uint4*>(from + i * rows_at_once * stride);
}

template <class C>
__device__ __forceinline__ void compute_lean_tile(const lean_arguments& p, unsigned char* shared) {
    using element = typename C::element;
    ptx::pdl_trigger();
    const int row = static_cast<int>(blockIdx.x) * C::block_m;
    const int col = static_cast<int>(blockIdx.y) * C::block_n;
    const auto product = static_cast<int>(blockIdx.z);
    auto* const stages = reinterpret_cast<element*>(shared);
    lean_loader<C, C::math::a, C::block_m> a(p.a, product, row, p.m, p.k, stages);
    ptx::pdl_wait();
    a.start(0);
    lean_loader<C, C::math::b, C::block_n> b(p.b, product, col, p.n, p.k, stages + C::a_elements);
    b.start(0);
    commit_copies();
    const unsigned warp = threadIdx.x / 32;
    const place_in_cta own{static_cast<int>(warp / C::warps_n * C::warp_m),
                           static_cast<int>(warp % C::warps_n * C::warp_n),
                           static_cast<int>(threadIdx.x % 32), 0};
    const int count = (p.k + C::block_k - 1) / C::block_k;
    const auto next_of = [](int stage) {
        return stage == (C::stages - 1) * C::stage_elements ? 0 : stage + C::stage_elements;
    };
    int to = C::stage_elements;
    const auto go_on = [&] {
        a.start(to);
        b.start(to);
        commit_copies();
        to = next_of(to);
    };
#pragma unroll 1
    for (int i = 1; i < min(C::stages - 1, count); ++i) go_on();
    half_part<C> part(own);
    int from = 0;
#pragma unroll 1
    for (int i = 0; i < count; ++i, from = next_of(from)) {
        if (i + C::stages - 2 < count)
            wait_for_copies<C::stages - 2>();
        else
            wait_for_copies<0>();
        __syncthreads();
        if (i + C::stages - 1 < count) go_on();
        const auto at = static_cast<std::uint32_t>(__cvta_generic_to_shared(stages + from));
        part.multiply(at, at + C::a_elements * static_cast<int>(sizeof(element)));
    }
    __syncthreads();
    auto* const slab = reinterpret_cast<typename C::narrow*>(shared) + warp * slab_elements<C>;
    store_lean<C>(part.sums(), p, product, row + own.row, col + own.col, slab);
}

template <class C>
__global__ void __launch_bounds__(C::threads, least_ctas<C>)
    lean_kernel(const __grid_constant__ lean_arguments p) {
    extern __shared__ __align__(16) unsigned char shared[];
    if constexpr (runs_here<C>()) compute_lean_tile<C>(p, shared);
}

}  // namespace carat::cuda::mma
