// Each product has a warp, and what follows the last one has another. A warp adds up the tiles of
// the products before its own, and changes and publishes maps as in group.cu.
#include "cuda/common/kernel.hpp"
#include "cuda/common/launch.hpp"
#include "cuda/common/ragged.cuh"
#include "cuda/families/wgmma/ragged.hpp"
#include "cuda/ptx/pdl.cuh"
#include "cuda/ptx/tensor_map.cuh"
#include "plan/cpu_plan.hpp"

namespace carat::cuda::wgmma {

namespace {

constexpr int warps = 4;

// The sizes of one product, with its part of the dimension that is shared out.
struct sizes {
    int m;
    int n;
    int k_tiles;
};

__device__ __forceinline__ int tiles_of(int extent, int block) {
    return (extent + block - 1) / block;
}

__device__ __forceinline__ sizes sizes_of(const ragged_request& of, int number, int lines) {
    if (number == of.ends.count) return {0, 0, 0};
    switch (of.shared_out) {
        case shared_dimension::m:
            return {lines, of.n, of.k_tiles};
        case shared_dimension::n:
            return {of.m, lines, of.k_tiles};
        case shared_dimension::k:
            break;
    }
    // TMA reads zeros beyond a matrix' end: if K is 0, C becomes what is added to it.
    return {of.m, of.n, max(tiles_of(lines, of.block_k), of.fewest_k_tiles)};
}

// The extent of K in a map, which is never 0: TMA would trap.
__device__ __forceinline__ int extent_of(int end) {
    return max(end, 1);
}

// One lane calls it for A and one for B.
__device__ __forceinline__ void change_map(CUtensorMap& map, const ragged_request& of,
                                           const void* data, std::int64_t apart, int number,
                                           int end) {
    if (apart != 0)
        ptx::replace_tensor_map_address(map, static_cast<const char*>(data) + number * apart);
    if (of.shared_out == shared_dimension::k)
        ptx::replace_tensor_map_extent<1>(map, static_cast<std::uint32_t>(extent_of(end)));
}

__device__ __forceinline__ void write_member(group_member& to, const ragged_request& of, int number,
                                             const ragged_part& own) {
    const bool along_k = of.shared_out == shared_dimension::k;
    const sizes s = sizes_of(of, number, own.lines());
    const std::int64_t to_c = (along_k ? number : own.first) * of.c_apart;
    to.c = static_cast<char*>(of.c) + to_c;
    to.source = static_cast<const char*>(of.source) + to_c;
    to.row_stride = of.row_stride;
    to.col_stride = of.col_stride;
    to.m = s.m;
    to.n = s.n;
    to.k_tiles = s.k_tiles;
    to.tiles_m = tiles_of(s.m, of.header.block_m);
    to.tiles_n = tiles_of(s.n, of.header.block_n);
    to.first_row = of.shared_out == shared_dimension::m ? own.first : 0;
    to.first_col = of.shared_out == shared_dimension::n ? own.first : 0;
    to.first_k = !along_k ? 0 : own.lines() > 0 ? own.first : extent_of(own.end);
}

__device__ __forceinline__ int first_cluster_of(const ragged_request& of, int number,
                                                const ragged_part& own) {
    const int tiles_m = tiles_of(of.m, of.header.block_m);
    const int tiles_n = tiles_of(of.n, of.header.block_n);
    switch (of.shared_out) {
        case shared_dimension::m:
            return own.blocks_before * tiles_n;
        case shared_dimension::n:
            return own.blocks_before * tiles_m;
        case shared_dimension::k:
            break;
    }
    return number * tiles_m * tiles_n;
}

__global__ void __launch_bounds__(32 * warps)
    write_ragged_kernel(const __grid_constant__ ragged_request of, group_member* members,
                        int* first_cluster) {
    __shared__ alignas(128) CUtensorMap maps[warps][2];
    ptx::pdl_trigger();
    ptx::pdl_wait();
    const int warp = static_cast<int>(threadIdx.x) / 32;
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int number = static_cast<int>(blockIdx.x) * warps + warp;
    if (number > of.ends.count) return;
    const int block = of.shared_out == shared_dimension::n ? of.header.block_n : of.header.block_m;
    const ragged_part own = ragged_part_of(of.ends, block, number);
    group_member& to = members[number];
    CUtensorMap(&changed)[2] = maps[warp];
    ptx::copy_tensor_map(changed[0], of.header.a, lane);
    ptx::copy_tensor_map(changed[1], of.header.b, lane);
    __syncwarp();
    if (lane == 0) change_map(changed[0], of, of.a, of.a_apart, number, own.end);
    if (lane == 1) change_map(changed[1], of, of.b, of.b_apart, number, own.end);
    __syncwarp();
    ptx::publish_tensor_map(to.a, changed[0]);
    ptx::publish_tensor_map(to.b, changed[1]);
    if (lane != 0) return;
    write_member(to, of, number, own);
    first_cluster[number] = first_cluster_of(of, number, own);
}

std::size_t members_of(const ragged_ends& ends) {
    return static_cast<std::size_t>(ends.count) + 1;
}

}  // namespace

std::size_t ragged_table_bytes(const ragged_ends& ends) {
    return group_table_bytes(members_of(ends));
}

group_table write_ragged_table(void* memory, const ragged_request& of, cudaStream_t stream) {
    const std::size_t count = members_of(of.ends);
    const group_table table = group_table_at(memory, count);
    load(write_ragged_kernel);
    launch_closely(write_ragged_kernel,
                   {dim3(static_cast<unsigned>((count + warps - 1) / warps)), 32 * warps}, stream,
                   of, const_cast<group_member*>(table.members),
                   const_cast<int*>(table.first_cluster));
    return table;
}

std::int64_t most_clusters(const ragged_request& of) {
    const std::int64_t tiles_m = plan::ceil_div(of.m, of.header.block_m);
    const std::int64_t tiles_n = plan::ceil_div(of.n, of.header.block_n);
    switch (of.shared_out) {
        case shared_dimension::m:
            return most_blocks(of.ends, of.header.block_m) * tiles_n;
        case shared_dimension::n:
            return most_blocks(of.ends, of.header.block_n) * tiles_m;
        case shared_dimension::k:
            break;
    }
    return of.ends.count * tiles_m * tiles_n;
}

}  // namespace carat::cuda::wgmma
