// The kernel: one warpgroup copies, two multiply.
//
//     copies   [ A0 B0 | A1 B1 | A2 B2 | A3 B3 ] A4 B4 ...        stage = tile % stages
//     multiply   A0 B0   A1 B1 ...
//
// `full` of a stage is over when its bytes have landed, `empty` when every warpgroup that reads it,
// in every block of the cluster, has done so: with two blocks in a cluster each loads half of the
// tile of B for both. The copying thread runs ahead into the next tile of C while the others write
// theirs.
#pragma once

#include "cuda/common/error.hpp"
#include "cuda/ptx/bulk_copy.cuh"
#include "cuda/ptx/cluster.cuh"
#include "cuda/ptx/descriptor.cuh"
#include "cuda/ptx/registers.cuh"
#include "cuda/ptx/wgmma.cuh"
#include "cuda/sm90/arguments.hpp"
#include "cuda/sm90/config.hpp"
#include "cuda/sm90/epilogue.cuh"
#include "cuda/sm90/schedule.cuh"

namespace carat::cuda::sm90 {

// The ring of stages in a block's shared memory.
template <class C>
struct ring {
    unsigned char* tiles;
    unsigned char* boxes;
    ptx::barrier* full;
    ptx::barrier* empty;

    __device__ explicit ring(unsigned char* shared) {
        const unsigned past = ptx::shared_address(shared) % C::alignment;
        tiles = shared + (past == 0 ? 0 : C::alignment - past);
        boxes = tiles + C::stages * C::stage_bytes;
        full = reinterpret_cast<ptx::barrier*>(boxes + C::boxes_bytes);
        empty = full + C::stages;
    }
    [[nodiscard]] __device__ unsigned char* a(int stage) const {
        return tiles + stage * C::stage_bytes;
    }
    [[nodiscard]] __device__ unsigned char* b(int stage) const { return a(stage) + C::a_bytes; }
};

// Where in the ring a thread is, and the parity of the phase that this round through it has.
template <int Stages>
struct position {
    int stage = 0;
    int parity = 0;

    __device__ void advance() {
        if (++stage == Stages) {
            stage = 0;
            parity ^= 1;
        }
    }
};

// Lines of a tile that is contiguous across K come in boxes of 128 bytes across and all of its K.
template <class C>
constexpr int across_of_box = C::line_bytes / static_cast<int>(sizeof(typename C::element));

template <class C>
__device__ __forceinline__ void load_a(const ring<C>& r, int stage, const CUtensorMap& map, int row,
                                       int k) {
    if constexpr (C::a_major == major::along_k) {
        ptx::copy_box(r.a(stage), map, k, row, r.full[stage]);
    } else {
        constexpr int width = across_of_box<C>;
#pragma unroll
        for (int i = 0; i < C::tile_m; i += width)
            ptx::copy_box(r.a(stage) + i * C::line_bytes, map, row + i, k, r.full[stage]);
    }
}

// This block's share of the tile of B, to all blocks of the cluster.
template <class C>
__device__ __forceinline__ void load_b(const ring<C>& r, int stage, const CUtensorMap& map, int col,
                                       int k, int rank) {
    constexpr int share = C::tile_n / C::cluster;
    constexpr auto everyone = static_cast<std::uint16_t>((1 << C::cluster) - 1);
    const int first = rank * share;
    const auto copy = [&](int line, int x, int y) {
        unsigned char* const to = r.b(stage) + line * C::line_bytes;
        if constexpr (C::cluster == 1)
            ptx::copy_box(to, map, x, y, r.full[stage]);
        else
            ptx::copy_box_to_all(to, map, x, y, r.full[stage], everyone);
    };
    if constexpr (C::b_major == major::along_k) {
        copy(first, k, col + first);
    } else {
        constexpr int width = across_of_box<C>;
#pragma unroll
        for (int i = 0; i < share; i += width) copy(first + i, col + first + i, k);
    }
}

template <class C, class Factor>
__device__ __forceinline__ void copy_tiles(const ring<C>& r, const CUtensorMap& a,
                                           const CUtensorMap& b, const arguments<Factor>& p,
                                           int cluster, int clusters, int rank) {
    position<C::stages> at;
    const int tiles = p.tiles_m * p.tiles_n;
    for (int index = cluster; index < tiles; index += clusters) {
        const tile_place t = place_of(index, p.tiles_m, p.tiles_n);
        const int row = (t.m * C::cluster + rank) * C::tile_m;
        for (int k = 0; k < p.k_tiles; ++k, at.advance()) {
            ptx::wait_for(r.empty[at.stage], at.parity ^ 1);
            ptx::arrive_and_expect(r.full[at.stage], C::stage_bytes);
            load_a<C>(r, at.stage, a, row, k * C::tile_k);
            load_b<C>(r, at.stage, b, t.n * C::tile_n, k * C::tile_k, rank);
        }
    }
}

// A warpgroup's sums += its 64 rows of the stage's A times the stage's B.
template <class C, class Sums>
__device__ __forceinline__ void multiply_stage(Sums& sums, const ring<C>& r, int stage, int group,
                                               bool add) {
    using instruction = ptx::wgmma<typename C::element, C::tile_n, C::a_major == major::across,
                                   C::b_major == major::across>;
    const auto describe = [](const unsigned char* tile, major m) {
        return m == major::along_k ? ptx::swizzled_descriptor(tile)
                                   : ptx::swizzled_descriptor_across(tile, C::tile_k);
    };
    // 64 rows of 128 bytes along K, or one box of 64 across: the same bytes.
    const std::uint64_t a = describe(r.a(stage) + group * 64 * C::line_bytes, C::a_major);
    const std::uint64_t b = describe(r.b(stage), C::b_major);
    constexpr int a_step = C::a_major == major::along_k ? 32 : instruction::k * C::line_bytes;
    constexpr int b_step = C::b_major == major::along_k ? 32 : instruction::k * C::line_bytes;
    ptx::order_registers();
#pragma unroll
    for (int i = 0; i < C::tile_k / instruction::k; ++i)
        instruction::multiply(sums, ptx::advanced(a, i * a_step), ptx::advanced(b, i * b_step),
                              add || i > 0);
    ptx::commit();
}

template <class C, class Factor>
__device__ __forceinline__ void multiply_tiles(const ring<C>& r, const CUtensorMap& c,
                                               const arguments<Factor>& p, int cluster,
                                               int clusters, int rank) {
    using sum = typename ptx::wgmma<typename C::element, C::tile_n, false, false>::sum;
    const int thread = static_cast<int>(threadIdx.x) % 128;
    const int group = static_cast<int>(threadIdx.x) / 128 - 1;
    const outgoing out{&c, r.boxes + group * 2 * C::box_bytes, group + 1};
    position<C::stages> at;
    const int tiles = p.tiles_m * p.tiles_n;
    for (int index = cluster; index < tiles; index += clusters) {
        sum sums[C::tile_n / 2];
        int last = 0;
        for (int k = 0; k < p.k_tiles; ++k) {
            ptx::wait_for(r.full[at.stage], at.parity);
            multiply_stage<C>(sums, r, at.stage, group, k > 0);
            ptx::wait<1>();  // the stage before this has been read
            if (k > 0 && thread < C::cluster) ptx::arrive_at(r.empty[last], thread);
            last = at.stage;
            at.advance();
        }
        ptx::wait<0>();
        ptx::settle(sums);
        if (thread < C::cluster) ptx::arrive_at(r.empty[last], thread);
        const tile_place t = place_of(index, p.tiles_m, p.tiles_n);
        const int row = (t.m * C::cluster + rank) * C::tile_m + group * 64;
        write(out, p, row, t.n * C::tile_n, thread, sums);
    }
    if (thread == 0) ptx::wait_for_stores<0>();  // they read this block's shared memory
}

template <class C, class Factor>
__global__ void __launch_bounds__(C::threads, 1)
    multiply_kernel(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
                    const __grid_constant__ CUtensorMap c,
                    const __grid_constant__ arguments<Factor> p) {
#if CARAT_HAS_WGMMA
    extern __shared__ unsigned char shared[];
    const ring<C> r(shared);
    if (threadIdx.x == 0) {
        ptx::prefetch_map(a);
        ptx::prefetch_map(b);
        for (int stage = 0; stage < C::stages; ++stage) {
            ptx::make_barrier(r.full[stage], 1);
            ptx::make_barrier(r.empty[stage], C::warpgroups * C::cluster);
        }
        ptx::publish_barriers();
    }
    __syncthreads();
    if constexpr (C::cluster > 1) ptx::wait_for_cluster();

    const int rank = static_cast<int>(blockIdx.x) % C::cluster;
    const int cluster = static_cast<int>(blockIdx.x) / C::cluster;
    const int clusters = static_cast<int>(gridDim.x) / C::cluster;
    // 40 + 2 x 232 registers for three warpgroups that the kernel starts with 168 each.
    if (threadIdx.x < 128) {
        ptx::give_back_registers<40>();
        if (threadIdx.x == 0) copy_tiles<C>(r, a, b, p, cluster, clusters, rank);
        __syncwarp();
    } else {
        ptx::take_registers<232>();
        multiply_tiles<C>(r, c, p, cluster, clusters, rank);
    }
    // A block must not leave while others of its cluster write to its shared memory.
    if constexpr (C::cluster > 1) ptx::wait_for_cluster();
#endif
}

template <class C, class Factor>
void launch(const CUtensorMap& a, const CUtensorMap& b, const CUtensorMap& c,
            const arguments<Factor>& with, int blocks, cudaStream_t stream) {
    cudaLaunchConfig_t how{};
    how.gridDim = dim3(static_cast<unsigned>(blocks));
    how.blockDim = dim3(C::threads);
    how.dynamicSmemBytes = C::shared_bytes;
    how.stream = stream;
    cudaLaunchAttribute in_clusters{};
    in_clusters.id = cudaLaunchAttributeClusterDimension;
    in_clusters.val.clusterDim = {C::cluster, 1, 1};
    how.attrs = &in_clusters;
    how.numAttrs = 1;
    CARAT_CUDA_CHECK(cudaLaunchKernelEx(&how, multiply_kernel<C, Factor>, a, b, c, with));
}

template <class C, class Factor>
[[nodiscard]] constexpr kernel<Factor> kernel_with() {
    constexpr const char* name = C::tile_n == 256 ? "sm90_128x256" : "sm90_128x128";
    return {name,
            reinterpret_cast<const void*>(multiply_kernel<C, Factor>),
            C::tile_m,
            C::tile_n,
            C::cluster,
            C::threads,
            C::shared_bytes,
            launch<C, Factor>};
}

}  // namespace carat::cuda::sm90
