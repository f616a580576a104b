// What distinguishes one Hopper kernel from another, and what follows from it. A CTA multiplies a
// tile of C by a consumer warpgroup for each 64 of its rows, while a producer brings tiles of A and
// B, 128 bytes deep, by TMA through a pipeline of stages in shared memory.
//
//   single_tile   a CTA has one tile. The CTAs of a cluster have a split of K each and reduce
//                 through distributed shared memory, or tiles below each other and B by multicast.
//                 Where there are more CTAs than SMs two share one: one multiplies while the other
//                 begins or ends
//   cooperative   persistent: one CTA an SM stays for all of C. Clusters of two tiles below each
//                 other, B by multicast; of 192 rows beside each other, A by multicast
//   pingpong      persistent, and each of two consumer warpgroups has a tile of 128 x 128 to
//   itself:
//                 while one multiplies the other one stores
//
// With stream_k a persistent kernel shares out its last waves evenly (scheduler.cuh); batched, its
// tiles are those of all products.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/dtype_traits.hpp"
#include "core/kernel_desc.hpp"

namespace carat::cuda::wgmma {

using core::accumulation;
using core::kernel_schedule;
using core::operand_major;

template <class Element, core::kernel_desc Desc>
struct config {
    using element = Element;
    static constexpr int block_m = Desc.block_m;
    static constexpr int block_n = Desc.block_n;
    static constexpr operand_major a_major = Desc.a_major;
    static constexpr operand_major b_major = Desc.b_major;
    static constexpr accumulation accumulate = Desc.accumulate;
    static constexpr bool is_native = accumulate == accumulation::native;
    static constexpr kernel_schedule schedule = Desc.schedule;
    static constexpr bool is_persistent = schedule != kernel_schedule::single_tile;
    static constexpr bool is_pingpong = schedule == kernel_schedule::pingpong;
    static constexpr bool stream_k = Desc.stream_k;
    static constexpr bool is_batched = Desc.batched;
    static_assert(!is_batched || (is_persistent && !stream_k && !Desc.a_from_registers()));
    static_assert(is_persistent || !stream_k);
    static_assert(!is_pingpong || (block_m == 128 && block_n == 128 && is_native));
    static_assert(sizeof(Element) * 8 >= traits_of(Desc.a_type).bits);

    // CTAs of a persistent kernel's cluster; of a single_tile one the launch decides.
    static constexpr int cluster_m = Desc.cluster_m;
    static constexpr int cluster_n = Desc.cluster_n;
    static constexpr bool multicast_a = cluster_n > 1;
    static_assert(!multicast_a || (a_major == operand_major::k && b_major == operand_major::k));
    static constexpr int cluster_ctas = cluster_m * cluster_n;

    // Scale, bias, activation and E of a single tile, in the registers that hold its sums.
    static constexpr bool finishes_in_registers = is_half(Desc.a_type);
    static constexpr int consumer_warpgroups = is_pingpong ? 2 : block_m / 64;
    static constexpr int stage_readers = is_pingpong ? 1 : consumer_warpgroups;
    static constexpr int consumer_threads = consumer_warpgroups * 128;
    // The producer is a warp; of persistent kernels a warpgroup, which gives the consumers most of
    // its registers.
    static constexpr int threads = consumer_threads + (is_persistent ? 128 : 32);

    static constexpr int block_k_bytes = Desc.block_k_bytes;
    static_assert(block_k_bytes == 128);  // one row of the 128-byte swizzle
    static constexpr int block_k = Desc.block_k();
    // Columns of one wgmma. Beside promoted accumulators of 256 columns registers hold no more than
    // 128 others: two sets of 64, of which one is added up while the tensor cores are at the other.
    static constexpr bool double_buffered = accumulate == accumulation::promoted && block_n == 256;
    static constexpr int mma_n = double_buffered                ? 64
                                 : !is_native && block_n == 256 ? 128
                                                                : block_n;
    // wgmma reads 32-bit elements of shared memory along K only. An M-major A goes through
    // registers, and C^T takes what an N-major B would be.
    static constexpr bool a_from_registers = Desc.a_from_registers();
    static constexpr int ctas_per_sm =  // as far as registers go
        is_persistent || (block_n >= 96 && (!is_native || a_from_registers)) ? 1 : 2;
    // Single tiles of 64 rows leave registers for a third CTA.
    static constexpr int max_ctas_per_sm =
        ctas_per_sm == 2 && block_m == 64 && block_n <= 64 ? 3 : ctas_per_sm;
    // Products of f32 operands have an epilogue of alpha and beta alone.
    static constexpr bool has_epilogue = core::is_storage_type(Desc.a_type);
    // Operands of less than 16 bits, whose C is written wider.
    static constexpr bool is_narrow = has_epilogue && !is_half(Desc.a_type);
    // GLU: half of a tile's columns may be gates, and the other half what they multiply.
    static constexpr bool has_glu = Desc.glu;
    // Three warpgroups begin with 168 registers a thread each, four with 128.
    static constexpr int consumer_registers = multicast_a ? 160 : 232;
    static constexpr int producer_registers = multicast_a ? 32 : 40;

    static constexpr int a_bytes = block_m * block_k_bytes;
    // An N-major tile comes in whole rows of 128 bytes, and the last may be beyond the tile.
    static constexpr int loaded_b_columns =
        b_major == operand_major::mn ? (block_n + block_k - 1) / block_k * block_k : block_n;
    static constexpr int b_bytes = loaded_b_columns * block_k_bytes;
    static constexpr int splits = accumulate == accumulation::three_tf32 ? 2 : 1;  // big, small
    static constexpr int stage_bytes = splits * (a_bytes + b_bytes);
    static constexpr int max_stages = 16;

    // A staging tile of C is 64 rows of 128 bytes on their way out: two for each warpgroup. Each
    // warp stores its own 16 rows, but where they lie between those of others.
    static constexpr int staging_tile_bytes = 64 * 128;
    static constexpr int store_rows = a_from_registers ? 64 : 16;
    static constexpr int staging_bytes = consumer_warpgroups * 2 * staging_tile_bytes;
    // A single tile's accumulators in shared memory, where the pipeline was; lines are padded so
    // that writes meet every bank.
    static constexpr int accumulator_bytes =
        std::max(block_m * (block_n + 8), block_n*(block_m + 4)) * 4;
    static constexpr int smem_alignment = 1024;  // a swizzle atom

    // Shared memory behind the pipeline holds staging tiles, or what the other CTAs of a split-K
    // cluster send.
    static constexpr int epilogue_bytes(int split_k) {
        return is_persistent ? staging_bytes : accumulator_bytes / split_k * (split_k - 1);
    }
    static constexpr int shared_bytes(int stages, int split_k) {
        return stages * stage_bytes + epilogue_bytes(split_k);
    }
    // As many stages as fit where so many CTAs shall be on an SM. Each takes 1 KB more than it is
    // told.
    static constexpr int stages_that_fit(int split_k, int ctas) {
        constexpr int barriers = smem_alignment;
        const int available = (228 / std::min(ctas, max_ctas_per_sm) - 1) * 1024;
        return std::clamp((available - barriers - shared_bytes(0, split_k)) / stage_bytes, 0,
                          max_stages);
    }
};

inline constexpr int max_split_k = 8;  // CTAs that any GPU can put into a cluster

}  // namespace carat::cuda::wgmma
