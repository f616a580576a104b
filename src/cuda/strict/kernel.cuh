// The kernel: most warps multiply, one thread of those after them copies.
//
//     copies   [ A0 B0 | A1 B1 | A2 B2 | A3 B3 ] A4 B4 ...        stage = tile % stages
//     multiply   A0 B0   A1 B1 ...
//
// `full` of a stage is over when its bytes have landed, `empty` when every warp that reads it has
// done so. Blocks stay and take tiles of C in turn, and the copying thread runs ahead into the next
// one; but blocks of a cluster that share K have one tile.
#pragma once

#include "cuda/common/launch.hpp"
#include "cuda/ptx/bulk_copy.cuh"
#include "cuda/ptx/cluster.cuh"
#include "cuda/ptx/dependents.cuh"
#include "cuda/ptx/registers.cuh"
#include "cuda/ptx/thread.cuh"
#include "cuda/sm90/schedule.cuh"
#include "cuda/strict/arguments.hpp"
#include "cuda/strict/config.hpp"
#include "cuda/strict/epilogue.cuh"

namespace carat::cuda::strict {

template <class C>
struct barriers {
    ptx::barrier full[C::stages];
    ptx::barrier empty[C::stages];
    ptx::barrier landed;  // what the blocks of a cluster send
};

template <class C>
struct ring {
    unsigned char* tiles;
    ptx::barrier* full;
    ptx::barrier* empty;
    ptx::barrier* landed;

    __device__ ring(unsigned char* shared, barriers<C>& meetings)
        : full(meetings.full), empty(meetings.empty), landed(&meetings.landed) {
        const unsigned past = ptx::shared_address(shared) % C::alignment;
        tiles = shared + (past == 0 ? 0 : C::alignment - past);
    }
    [[nodiscard]] __device__ unsigned char* a(int stage) const {
        return tiles + stage * C::stage_bytes;
    }
    [[nodiscard]] __device__ unsigned char* b(int stage) const { return a(stage) + C::a_bytes; }
};

// Where in the ring a thread is, and the parity of the phase that this round through it has.
template <class C>
struct position {
    int stage = 0;
    int parity = 0;

    __device__ __forceinline__ void advance() {
        if (++stage == C::stages) {
            stage = 0;
            parity ^= 1;
        }
    }
};

// Which part of K a block has, and which tile of C is its first. Worked out wherever they are
// wanted: kept, they would take registers from sums.
template <class T>
__device__ __forceinline__ int part_of(const arguments<T>& p) {
    return static_cast<int>(blockIdx.x) & ((1 << p.parts_bits) - 1);
}
template <class T>
__device__ __forceinline__ int first_tile(const arguments<T>& p) {
    return static_cast<int>(blockIdx.x) >> p.parts_bits;
}
template <class T>
__device__ __forceinline__ int tiles_at_a_time(const arguments<T>& p) {
    return static_cast<int>(gridDim.x) >> p.parts_bits;
}

// That part, in stages.
struct part_of_k {
    int first;
    int count;

    template <class T>
    __device__ explicit part_of_k(const arguments<T>& p) : first(0), count(p.k_tiles) {
        if (p.parts_bits == 0) return;
        const std::int64_t tiles = p.k_tiles;
        const int part = part_of(p);
        first = static_cast<int>(tiles * part >> p.parts_bits);
        count = static_cast<int>(tiles * (part + 1) >> p.parts_bits) - first;
    }
};

// Of a tile of an operand, `Tile` lines wide from `first` on, and TileK deep from `k` on: the boxes
// in which it comes.
template <class Element, major Major, int Tile, int TileK>
struct boxes {
    static constexpr bool along_k = Major == major::along_k;
    static constexpr int length = !in_plain_boxes<Element> ? 128 / static_cast<int>(sizeof(Element))
                                  : along_k                ? TileK
                                                           : Tile;
    static constexpr int count = along_k ? TileK / length : Tile / length;
    static constexpr int bytes = Tile * TileK * static_cast<int>(sizeof(Element)) / count;

    static __device__ __forceinline__ void copy(unsigned char* to, const CUtensorMap& map,
                                                int first, int k, ptx::barrier& landed) {
#pragma unroll 1
        for (int i = 0; i < count; ++i)
            if constexpr (along_k)
                ptx::copy_box(to + i * bytes, map, k + i * length, first, landed);
            else
                ptx::copy_box(to + i * bytes, map, first + i * length, k, landed);
    }
};

// What the copying thread does next: a stage's tiles of a tile of C.
template <class C, class T>
struct copier {
    using math = typename C::math;
    using boxes_of_a = boxes<T, math::a_major, C::tile_m, C::tile_k>;
    using boxes_of_b = boxes<T, math::b_major, C::tile_n, C::tile_k>;
    const ring<C>& r;
    const arguments<T>& p;
    part_of_k part;
    position<C> at;
    int index;
    int k;
    int row = 0;
    int col = 0;

    __device__ copier(const ring<C>& to, const arguments<T>& with)
        : r(to), p(with), part(with), index(first_tile(with)), k(part.first) {
        turn_to_tile();
    }

    __device__ __forceinline__ void turn_to_tile() {
        const sm90::tile_place t = sm90::place_of(index, p.tiles_m, p.tiles_n);
        row = t.m * C::tile_m;
        col = t.n * C::tile_n;
    }
    [[nodiscard]] __device__ __forceinline__ bool done() const {
        return index >= p.tiles_m * p.tiles_n;
    }
    // Waits for a place, and starts copying to it.
    __device__ __forceinline__ void copy(const CUtensorMap& a, const CUtensorMap& b) {
        ptx::barrier& full = r.full[at.stage];
        ptx::wait_for(r.empty[at.stage], at.parity ^ 1);
        ptx::arrive_and_expect(full, C::stage_bytes);
        boxes_of_a::copy(r.a(at.stage), a, row, k * C::tile_k, full);
        boxes_of_b::copy(r.b(at.stage), b, col, k * C::tile_k, full);
        at.advance();
        if (++k < part.first + part.count) return;
        k = part.first;
        index += tiles_at_a_time(p);
        turn_to_tile();
    }
};

// Where a warp reads: addresses of its lane's first elements in a stage and of the stage's barrier.
template <class C>
struct reader {
    addresses from;
    std::uint32_t full;
    int left = C::stages;  // stages to the ring's end
    int parity = 0;

    __device__ reader(const ring<C>& r, int row, int col, int lane)
        : from{ptx::shared_address(r.tiles) +
                   static_cast<std::uint32_t>(C::math::template first_of_a<C>(row, lane)),
               ptx::shared_address(r.tiles) +
                   static_cast<std::uint32_t>(C::math::template first_of_b<C>(col, lane))},
          full(ptx::shared_address(r.full)) {}

    __device__ __forceinline__ void wait() const { ptx::wait_at_address(full, parity); }
    __device__ __forceinline__ void advance() {
        constexpr std::uint32_t bytes = sizeof(ptx::barrier);
        from.a += C::stage_bytes;
        from.b += C::stage_bytes;
        full += bytes;
        if (--left > 0) return;
        left = C::stages;
        from.a -= C::stages * C::stage_bytes;
        from.b -= C::stages * C::stage_bytes;
        full -= C::stages * bytes;
        parity ^= 1;
    }
};

// A warp's sums over `count` stages, one at least. The first vectors of a stage are loaded before
// the last products of the one before it.
template <class C>
__device__ __forceinline__ void sum_stages(typename C::math::sums& sums, reader<C>& at, int count) {
    using math = typename C::math;
    constexpr std::uint32_t to_empty = C::stages * sizeof(ptx::barrier);
    typename math::fragments own;
    at.wait();
    math::template fetch<C>(own, at.from, 0);
#pragma unroll 1
    for (int left = count - 1; left >= 0; --left) {
#pragma unroll
        for (int step = 0; step + 1 < math::steps; ++step)
            math::template step<C>(sums, own, step, at.from, step + 1);
        const std::uint32_t empty = at.full + to_empty;
        if (left > 0) {  // else the first step's vectors come once more and in vain
            at.advance();
            at.wait();
        }
        math::template step<C>(sums, own, math::steps - 1, at.from, 0);
        __syncwarp();
        if (threadIdx.x % 32 == 0) ptx::arrive_at_address(empty);
    }
    at.advance();
}

// Where a warp's part of the block's tile begins.
template <class C>
__device__ __forceinline__ int row_of_warp(int thread) {
    return thread / 32 / C::warps_n * C::math::warp_m;
}
template <class C>
__device__ __forceinline__ int col_of_warp(int thread) {
    return thread / 32 % C::warps_n * C::math::warp_n;
}

template <class C, class T>
__device__ __forceinline__ void multiply_tiles(const ring<C>& r, const arguments<T>& p) {
    const auto first = static_cast<int>(threadIdx.x);
    reader<C> at(r, row_of_warp<C>(first), col_of_warp<C>(first), first % 32);
    const int count = part_of_k(p).count;
    for (int index = first_tile(p); index < p.tiles_m * p.tiles_n; index += tiles_at_a_time(p)) {
        typename C::math::sums sums;
        sum_stages<C>(sums, at, count);
        const sm90::tile_place t = sm90::place_of(index, p.tiles_m, p.tiles_n);
        const int thread = ptx::thread_anew();
        const owner of{t.m * C::tile_m, t.n * C::tile_n, row_of_warp<C>(thread),
                       col_of_warp<C>(thread), thread % 32};
        if (p.parts_bits == 0)
            write_sums<C>(p, of, sums);
        else
            write_parts_of<C>(p, r.tiles, *r.landed, part_of(p), of, thread, sums);
    }
}

template <class C, class T>
__global__ void __launch_bounds__(C::threads, C::residents)
    strict_kernel(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
                  const __grid_constant__ arguments<T> p) {
#if __CUDA_ARCH__ >= 900
    extern __shared__ unsigned char shared[];
    __shared__ barriers<C> meetings;
    const ring<C> r(shared, meetings);
    const bool in_clusters = p.parts_bits > 0;
    if (threadIdx.x == C::multiplying) {
        ptx::prefetch_map(a);
        ptx::prefetch_map(b);
#pragma unroll 1
        for (int stage = 0; stage < C::stages; ++stage) {
            ptx::make_barrier(meetings.full[stage], 1);
            ptx::make_barrier(meetings.empty[stage], C::warps);
        }
        ptx::make_barrier(meetings.landed, 1);
        ptx::publish_barriers();
        if (in_clusters) ptx::arrive_and_expect(meetings.landed, C::sums_bytes);
    }
    ptx::let_dependents_begin();
    __syncthreads();
    if (in_clusters) ptx::meet_cluster();
    ptx::wait_for_predecessors();

    if (threadIdx.x >= C::multiplying) {
        if constexpr (C::takes_registers) ptx::give_back_registers<C::registers_left>();
        if (threadIdx.x == C::multiplying) {
            copier<C, T> copies(r, p);
#pragma unroll 1
            while (!copies.done()) copies.copy(a, b);
        }
        __syncwarp();
        if (in_clusters) ptx::meet_cluster();
    } else {
        if constexpr (C::takes_registers) ptx::take_registers<C::registers>();
        multiply_tiles<C>(r, p);
    }
#endif
}

template <class C, class T>
void launch(const CUtensorMap& a, const CUtensorMap& b, const arguments<T>& with,
            const extent& grid, cudaStream_t stream) {
    launch_closely(
        strict_kernel<C, T>,
        {dim3(static_cast<unsigned>(grid.blocks)), C::threads,
         static_cast<std::size_t>(grid.shared_bytes), static_cast<unsigned>(grid.cluster)},
        stream, a, b, with);
}

template <class C>
[[nodiscard]] kernel<typename C::element> kernel_with(const char* name) {
    using T = typename C::element;
    return {name,         reinterpret_cast<const void*>(strict_kernel<C, T>),
            C::tile_m,    C::tile_n,
            C::tile_k,    C::threads,
            C::residents, C::shared_bytes,
            launch<C, T>};
}

}  // namespace carat::cuda::strict
