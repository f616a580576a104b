// The numbers of the named barriers that consumers meet at.
#pragma once

namespace carat::cuda::wgmma::barrier_id {

// All consumers of a single tile.
constexpr int consumers = 1;

// A warpgroup of a persistent kernel.
__device__ __forceinline__ constexpr int warpgroup(int number) {
    return 1 + number;
}

// Two warps of such a warpgroup, the first pair or the second.
__device__ __forceinline__ constexpr int two_warps(int warpgroup, int pair) {
    return 3 + 2 * warpgroup + pair;
}

// Where a pingpong warpgroup waits for its turn at the main loop.
__device__ __forceinline__ constexpr int turn(int warpgroup) {
    return 8 + warpgroup;
}

}  // namespace carat::cuda::wgmma::barrier_id
