// A warp for each product: both maps are copied to shared memory, changed and published there.
#include <algorithm>

#include "cuda/common/kernel.hpp"
#include "cuda/common/launch.hpp"
#include "cuda/families/wgmma/group.hpp"
#include "cuda/ptx/pdl.cuh"
#include "cuda/ptx/tensor_map.cuh"

namespace carat::cuda::wgmma {

namespace {

constexpr int warps = 4;

// Arguments of a kernel may be 4096 bytes, with newer drivers and toolkits 32764.
constexpr std::size_t few = 36;
constexpr std::size_t many = 320;

// Entries that one launch writes.
template <std::size_t Capacity>
struct group_chunk {
    group_header header;
    group_member* members;  // where its first one goes
    int* first_cluster;
    int count;
    group_entry entries[Capacity];
};
static_assert(sizeof(group_chunk<few>) <= 4096);
static_assert(sizeof(group_chunk<many>) <= 32764);

__device__ __forceinline__ void replace(CUtensorMap& map, const tma_operand& by) {
    ptx::replace_tensor_map(map, by.data, static_cast<std::uint32_t>(by.length),
                            static_cast<std::uint32_t>(by.count),
                            static_cast<std::uint64_t>(by.stride_bytes));
}

template <std::size_t Capacity>
__global__ void __launch_bounds__(32 * warps)
    write_group_kernel(const __grid_constant__ group_chunk<Capacity> chunk) {
    __shared__ alignas(128) CUtensorMap maps[warps][2];
    ptx::pdl_trigger();
    ptx::pdl_wait();
    const int warp = static_cast<int>(threadIdx.x) / 32;
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int number = static_cast<int>(blockIdx.x) * warps + warp;
    if (number >= chunk.count) return;
    const group_entry& entry = chunk.entries[number];
    group_member& to = chunk.members[number];
    CUtensorMap(&own)[2] = maps[warp];
    ptx::copy_tensor_map(own[0], chunk.header.a, lane);
    ptx::copy_tensor_map(own[1], chunk.header.b, lane);
    __syncwarp();
    if (lane == 0) replace(own[0], entry.a);
    if (lane == 1) replace(own[1], entry.b);
    __syncwarp();
    ptx::publish_tensor_map(to.a, own[0]);
    ptx::publish_tensor_map(to.b, own[1]);
    if (lane != 0) return;
    to.c = entry.c;
    to.source = entry.source;
    to.row_stride = entry.row_stride;
    to.col_stride = entry.col_stride;
    to.m = entry.m;
    to.n = entry.n;
    to.k_tiles = entry.k_tiles;
    to.tiles_m = (entry.m + chunk.header.block_m - 1) / chunk.header.block_m;
    to.tiles_n = (entry.n + chunk.header.block_n - 1) / chunk.header.block_n;
    to.first_row = 0;
    to.first_col = 0;
    to.first_k = 0;
    chunk.first_cluster[number] = entry.first_cluster;
}

template <std::size_t Capacity>
void write_chunk(const group_header& header, const group_table& table, std::size_t from,
                 std::span<const group_entry> some, cudaStream_t stream) {
    group_chunk<Capacity> chunk;
    chunk.header = header;
    chunk.members = const_cast<group_member*>(table.members) + from;
    chunk.first_cluster = const_cast<int*>(table.first_cluster) + from;
    chunk.count = static_cast<int>(some.size());
    std::ranges::copy(some, chunk.entries);
    load(write_group_kernel<Capacity>);
    launch_closely(write_group_kernel<Capacity>,
                   {dim3(static_cast<unsigned>((some.size() + warps - 1) / warps)), 32 * warps},
                   stream, chunk);
}

// Members come first, since they are aligned.
std::size_t bytes_of_members(std::size_t count) {
    return count * sizeof(group_member);
}

}  // namespace

std::size_t group_table_bytes(std::size_t count) {
    return bytes_of_members(count) + count * sizeof(int);
}

group_table group_table_at(void* memory, std::size_t count) {
    auto* const bytes = static_cast<std::byte*>(memory);
    return {reinterpret_cast<const int*>(bytes + bytes_of_members(count)),
            reinterpret_cast<const group_member*>(bytes), static_cast<int>(count)};
}

group_table write_group_table(void* memory, const group_header& header,
                              std::span<const group_entry> entries, cudaStream_t stream) {
    const group_table table = group_table_at(memory, entries.size());
    for (std::size_t from = 0; from < entries.size();) {
        const std::size_t left = entries.size() - from;
        const auto some = entries.subspan(from, std::min(left, left <= few ? few : many));
        if (left <= few)
            write_chunk<few>(header, table, from, some, stream);
        else
            write_chunk<many>(header, table, from, some, stream);
        from += some.size();
    }
    return table;
}

}  // namespace carat::cuda::wgmma
