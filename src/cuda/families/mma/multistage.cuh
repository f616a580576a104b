// Large tiles, for as much of the tensor cores' rate as mma.sync gives: each warp multiplies 64 x
// 64 of C where registers allow it, so that what it reads from shared memory takes less time than
// what it multiplies, and reads the next step's operands while it multiplies this one's.
//
//     copies     stage 0 1 2 | 3          | 4          | ...     so many are under way
//     read       0.0 | 0.1     1.0 | 1.1     2.0 | ...           stage.step
//     multiply         0.0   | 0.1   1.0   | 1.1   2.0 | ...
//
// Operands are read where they lie, 16 bytes at a time: their lines begin at multiples of those.
#pragma once

#include "cuda/common/raster.cuh"
#include "cuda/families/mma/kernel.cuh"

namespace carat::cuda::mma {

template <class Math, int BlockM, int BlockN, int WarpsM, int WarpsN, int CtasPerSm>
struct multistage_config {
    using math = Math;
    using element = typename Math::element;
    using sum = typename Math::sum;
    using narrow = typename Math::narrow;
    using tile_of_a = tile_in_shared<Math, Math::a, BlockM>;
    using tile_of_b = tile_in_shared<Math, Math::b, BlockN>;
    static constexpr bool reads_anywhere = false;
    static constexpr int block_m = BlockM;
    static constexpr int block_n = BlockN;
    static constexpr int block_k = Math::block_k;
    static constexpr int warps_n = WarpsN;
    static constexpr int warps = WarpsM * WarpsN;
    static constexpr int threads = warps * 32;
    static constexpr int ctas_per_sm = CtasPerSm;
    static constexpr int warp_m = BlockM / WarpsM;
    static constexpr int warp_n = BlockN / WarpsN;
    static constexpr int sums_stride = warp_n + 8;

    static constexpr int a_elements = tile_of_a::elements;
    static constexpr int stage_elements = a_elements + tile_of_b::elements;
    static constexpr int a_bytes = a_elements * static_cast<int>(sizeof(element));
    static constexpr int stage_bytes = stage_elements * static_cast<int>(sizeof(element));
    static constexpr int steps = block_k * static_cast<int>(sizeof(element)) / 32;
    static_assert(warp_m % 16 == 0 && warp_n % 16 == 0 && steps % 2 == 0);

    // What a warp's sums go through on their way to C, 16 rows at a time.
    struct slab {
        using sum = typename Math::sum;
        using narrow = typename Math::narrow;
        static constexpr bool fuses_vectors = true;
        static constexpr int threads = 32;
        static constexpr int block_m = 16;
        static constexpr int block_n = multistage_config::warp_n;
        static constexpr int k_groups = 1;
        static constexpr int sums_stride = multistage_config::sums_stride;
        static constexpr int sums_of_group = block_m * sums_stride;
    };
    static constexpr int slab_bytes = slab::sums_of_group * static_cast<int>(sizeof(sum));
    static constexpr int least_shared_bytes = warps * slab_bytes;
};

// At most `stages` - 2 of the latest stages are still under way.
__device__ __forceinline__ void wait_for_stage(int stages) {
    if (stages >= 4)
        wait_for_copies<2>();
    else if (stages == 3)
        wait_for_copies<1>();
    else
        wait_for_copies<0>();
}

template <class C, class Part>
__device__ __forceinline__ void multiply_ahead(Part& own, const arguments<typename C::sum>& p,
                                               const coordinate& at, typename C::element* shared) {
    loader<C, C::math::a, C::block_m> a(p.a, at.product, at.row, at.m, at.first_k, at.k);
    loader<C, C::math::b, C::block_n> b(p.b, at.product, at.col, at.n, at.first_k, at.k);
    const int count = (at.k + C::block_k - 1) / C::block_k;
    const int stages = p.stages;
    int started = 0;
    int free_stage = 0;
    const auto start = [&] {
        if (started < count) {
            typename C::element* const to = shared + free_stage * C::stage_elements;
            a.start(to);
            b.start(to + C::a_elements);
        }
        commit_copies();
        ++started;
        free_stage = free_stage + 1 == stages ? 0 : free_stage + 1;
    };
#pragma unroll 1
    for (int i = 1; i < stages; ++i) start();
    wait_for_stage(stages);
    __syncthreads();
    const auto begin = static_cast<std::uint32_t>(__cvta_generic_to_shared(shared));
    const std::uint32_t end = begin + static_cast<std::uint32_t>(stages * C::stage_bytes);
    std::uint32_t from = begin;
    typename Part::fragments held[2];
    if (count > 0) own.read(held[0], from, from + C::a_bytes, 0);
#pragma unroll 1
    for (int i = 0; i < count; ++i) {
#pragma unroll
        for (int step = 0; step < C::steps; ++step) {
            if (step == C::steps - 1) {
                wait_for_stage(stages);
                __syncthreads();
                from += C::stage_bytes;
                if (from == end) from = begin;
            }
            own.read(held[(step + 1) % 2], from, from + C::a_bytes, (step + 1) % C::steps);
            if (step == 0) start();
            own.multiply(held[step % 2]);
        }
        own.end_stage(i, i + 1 == count);
    }
}

// Its tiles of one product in bands (raster.cuh), those of all products one after the other.
template <class C>
__device__ __forceinline__ coordinate multistage_coordinate(const arguments<typename C::sum>& p) {
    const auto number = static_cast<int>(blockIdx.x);
    const tile_coordinate tile =
        raster_swizzle(number % p.tiles, p.tiles_m, p.tiles / max(p.tiles_m, 1));
    return {number / p.tiles, tile.m * C::block_m, tile.n * C::block_n, 0, p.m, p.n, p.k};
}

template <class C>
__global__ void __launch_bounds__(C::threads, C::ctas_per_sm)
    multistage_kernel(const __grid_constant__ arguments<typename C::sum> p) {
    extern __shared__ __align__(16) unsigned char shared[];
    coordinate at =
        p.shared_out == ragged_dimension::none ? multistage_coordinate<C>(p) : coordinate_of<C>(p);
    ptx::pdl_trigger();
    ptx::pdl_wait();
    if (p.shared_out != ragged_dimension::none && !find_ragged<C>(at, p)) return;
    const int warp = static_cast<int>(threadIdx.x) / 32;
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int row = warp / C::warps_n * C::warp_m;
    const int col = warp % C::warps_n * C::warp_n;
    typename C::math::template part<C> own(p, at, {row, col, lane, 0});
    multiply_ahead<C>(own, p, at, reinterpret_cast<typename C::element*>(shared));

    __syncthreads();
    own.finish();
    using slab = typename C::slab;
    auto* const sums = reinterpret_cast<typename C::sum*>(shared) + warp * slab::sums_of_group;
    const std::int64_t first = at.product * p.product_stride + (at.row + row) * p.row_stride +
                               (at.col + col) * p.col_stride;
    const int rows = at.m - at.row - row;
    const int cols = min(C::warp_n, at.n - at.col - col);
#pragma unroll 1
    for (int i = 0; i < C::warp_m / 16; ++i) {
        own.sums().stage_piece(i, sums, p.alpha, lane);
        __syncwarp();
        store<slab>(p,
                    {first + i * 16 * p.row_stride, at.row + row + i * 16, at.col + col,
                     min(16, rows - i * 16), cols},
                    sums, lane);
        __syncwarp();
    }
}

}  // namespace carat::cuda::mma
