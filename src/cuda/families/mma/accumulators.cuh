// A warp's sums in pieces of 16 x 8, as every mma.sync of the tensor cores leaves them: lane l has
// columns 2 (l % 4) and the next of rows l / 4 and l / 4 + 8.
#pragma once

#include <cstdint>

#include "cuda/families/mma/arguments.hpp"

namespace carat::cuda::mma {

// Multiplies sums by alpha. A zero gets the sign that every kernel's has: that of the sum of a
// product and the bias, or of a product and 0 where there is no bias. Where fuse() adds either,
// -0 is added here, which changes nothing.
template <class Sum>
class scaling {
  public:
    __device__ __forceinline__ explicit scaling(const arguments<Sum>& p)
        : alpha_(p.alpha), added_(p.is_fused ? -Sum{} : Sum{}) {}

    __device__ __forceinline__ Sum operator()(Sum x) const { return fma(alpha_, x, added_); }

  private:
    // Integers wrap.
    __device__ __forceinline__ static std::int32_t fma(std::int32_t alpha, std::int32_t x,
                                                       std::int32_t) {
        return static_cast<std::int32_t>(static_cast<std::uint32_t>(alpha) *
                                         static_cast<std::uint32_t>(x));
    }
    template <class T>
    __device__ __forceinline__ static T fma(T alpha, T x, T added) {
        return ::fma(alpha, x, added);
    }

    Sum alpha_;
    Sum added_;
};

template <class Sum>
struct alignas(2 * sizeof(Sum)) two_sums {
    Sum of[2];
};

// A lane of a warp whose part of the tile begins at (row, col), and which part of each stage's K it
// multiplies.
struct place_in_cta {
    int row;
    int col;
    int lane;
    int k_group;
};

template <class C>
struct accumulators {
    using sum = typename C::sum;
    static constexpr int down = C::warp_m / 16;
    static constexpr int across = C::warp_n / 8;
    sum at[down][across][4] = {};

    // Writes the sums to the tile in shared memory.
    __device__ __forceinline__ void stage(sum* sums, const scaling<sum>& scaled,
                                          const place_in_cta& own) const {
#pragma unroll
        for (int i = 0; i < down; ++i)
#pragma unroll
            for (int j = 0; j < across; ++j)
#pragma unroll
                for (int half = 0; half < 2; ++half) {
                    const int there =
                        (own.row + i * 16 + half * 8 + own.lane / 4) * C::sums_stride + own.col +
                        j * 8 + own.lane % 4 * 2;
                    *reinterpret_cast<two_sums<sum>*>(sums + there) = {
                        scaled(at[i][j][2 * half]), scaled(at[i][j][2 * half + 1])};
                }
    }

    // Those of the warp's 16 rows `piece`, to a slab of its own.
    __device__ __forceinline__ void stage_piece(int piece, sum* slab, const scaling<sum>& scaled,
                                                int lane) const {
#pragma unroll
        for (int i = 0; i < down; ++i) {
            if (i != piece) continue;
#pragma unroll
            for (int j = 0; j < across; ++j)
#pragma unroll
                for (int half = 0; half < 2; ++half) {
                    const int there = (half * 8 + lane / 4) * C::sums_stride + j * 8 + lane % 4 * 2;
                    *reinterpret_cast<two_sums<sum>*>(slab + there) = {
                        scaled(at[i][j][2 * half]), scaled(at[i][j][2 * half + 1])};
                }
        }
    }

    // Adds others to these, and leaves none of them.
    __device__ __forceinline__ void take(accumulators& others) {
#pragma unroll
        for (int i = 0; i < down; ++i)
#pragma unroll
            for (int j = 0; j < across; ++j)
#pragma unroll
                for (int part = 0; part < 4; ++part) {
                    at[i][j][part] += others.at[i][j][part];
                    others.at[i][j][part] = 0;
                }
    }
};

}  // namespace carat::cuda::mma
