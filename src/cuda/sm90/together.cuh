// Clusters that are at different places along K read the same of A and B at different times, and
// what L2 does not keep for so long comes from memory again. They drift apart a little with every
// tile, so before each full round of wide tiles they may wait for each other. Nothing depends on
// it: who is not there after 10 us, since the GPU is busy with another kernel, is not waited for.
#pragma once

#include "cuda/ptx/flag.cuh"
#include "cuda/sm90/arguments.hpp"

namespace carat::cuda::sm90 {

// By one thread of each cluster, before its tile number `round`, from 0 on, and once at the end.
__device__ __forceinline__ void begin_together(const full_rounds& of, int clusters, int round) {
    constexpr long long patience = 1 << 14;  // cycles
    if (round == 0 || round >= of.count) return;
    ptx::count_up(*of.met, static_cast<std::uint32_t>(of.count * clusters));
    const auto all = static_cast<std::uint32_t>(round * clusters);
    const long long begun = clock64();
    while (ptx::counted(*of.met) < all && clock64() - begun < patience) {
    }
}

// Leaves the count at 0, once all have.
__device__ __forceinline__ void end_together(const full_rounds& of, int clusters) {
    if (of.count > 0) ptx::count_up(*of.met, static_cast<std::uint32_t>(of.count * clusters));
}

}  // namespace carat::cuda::sm90
