// A warp for each product: both maps are copied to shared memory, changed and published there.
#include <algorithm>

#include "cuda/common/kernel.hpp"
#include "cuda/common/launch.hpp"
#include "cuda/ptx/dependents.cuh"
#include "cuda/ptx/tensor_map.cuh"
#include "cuda/sm90/group.hpp"

namespace carat::cuda::sm90 {

namespace {

constexpr int warps = 4;

// Arguments of a kernel may be 4096 bytes, with newer drivers and toolkits 32764.
constexpr std::size_t few = 36;
constexpr std::size_t many = 320;

template <std::size_t Most>
struct stretch {
    table_head head;
    member* members;  // where its first one goes
    int* first;
    int count;
    listed of[Most];
};
static_assert(sizeof(stretch<few>) <= 4096);
static_assert(sizeof(stretch<many>) <= 32764);

__device__ __forceinline__ void copy_map(CUtensorMap& to, const CUtensorMap& from, int lane) {
    static_assert(sizeof(CUtensorMap) == 32 * sizeof(std::uint32_t));
    reinterpret_cast<std::uint32_t*>(&to)[lane] =
        reinterpret_cast<const std::uint32_t*>(&from)[lane];
}

__device__ __forceinline__ void replace(CUtensorMap& map, const mapped& by) {
    ptx::replace_in_map(map, by.data, static_cast<std::uint32_t>(by.length),
                        static_cast<std::uint32_t>(by.count),
                        static_cast<std::uint64_t>(by.stride_bytes));
}

template <std::size_t Most>
__global__ void __launch_bounds__(32 * warps)
    write_kernel(const __grid_constant__ stretch<Most> given) {
    __shared__ alignas(128) CUtensorMap maps[warps][2];
    ptx::let_dependents_begin();
    ptx::wait_for_predecessors();
    const int warp = static_cast<int>(threadIdx.x) / 32;
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int number = static_cast<int>(blockIdx.x) * warps + warp;
    if (number >= given.count) return;
    const listed& it = given.of[number];
    member& to = given.members[number];
    CUtensorMap(&own)[2] = maps[warp];
    copy_map(own[0], given.head.a, lane);
    copy_map(own[1], given.head.b, lane);
    __syncwarp();
    if (lane == 0) replace(own[0], it.a);
    if (lane == 1) replace(own[1], it.b);
    __syncwarp();
    ptx::publish_map(to.a, own[0]);
    ptx::publish_map(to.b, own[1]);
    if (lane != 0) return;
    to.c = it.c;
    to.added = it.added;
    to.row_stride = it.row_stride;
    to.col_stride = it.col_stride;
    to.m = it.m;
    to.n = it.n;
    to.k_tiles = it.k_tiles;
    to.tiles_m = (it.m + given.head.tile_m - 1) / given.head.tile_m;
    to.tiles_n = (it.n + given.head.tile_n - 1) / given.head.tile_n;
    given.first[number] = it.first;
}

template <std::size_t Most>
void start(const table_head& head, const group& at, std::size_t from, std::span<const listed> some,
           cudaStream_t stream) {
    stretch<Most> given;
    given.head = head;
    given.members = const_cast<member*>(at.members) + from;
    given.first = const_cast<int*>(at.first) + from;
    given.count = static_cast<int>(some.size());
    std::ranges::copy(some, given.of);
    load(write_kernel<Most>);
    launch_closely(write_kernel<Most>,
                   {dim3(static_cast<unsigned>((some.size() + warps - 1) / warps)), 32 * warps},
                   stream, given);
}

// Members come first, since they are aligned.
std::size_t bytes_of_members(std::size_t count) {
    return count * sizeof(member);
}

}  // namespace

std::size_t table_bytes(std::size_t count) {
    return bytes_of_members(count) + count * sizeof(int);
}

group write_table(void* memory, const table_head& head, std::span<const listed> all,
                  cudaStream_t stream) {
    auto* const bytes = static_cast<std::byte*>(memory);
    const group at{reinterpret_cast<const int*>(bytes + bytes_of_members(all.size())),
                   reinterpret_cast<const member*>(bytes), static_cast<int>(all.size())};
    for (std::size_t from = 0; from < all.size();) {
        const std::size_t left = all.size() - from;
        const auto some = all.subspan(from, std::min(left, left <= few ? few : many));
        if (left <= few)
            start<few>(head, at, from, some, stream);
        else
            start<many>(head, at, from, some, stream);
        from += some.size();
    }
    return at;
}

}  // namespace carat::cuda::sm90
