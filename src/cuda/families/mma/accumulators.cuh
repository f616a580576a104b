// A warp's sums in pieces of 16 x 8, as every mma.sync of the tensor cores leaves them: lane l has
// columns 2 (l % 4) and the next of rows l / 4 and l / 4 + 8.
#pragma once

namespace carat::cuda::mma {

// A zero as the sum of a product and no bias has it, as every kernel's.
__device__ __forceinline__ float scaled(float alpha, float x) {
    return fmaf(alpha, x, 0.0f);
}
__device__ __forceinline__ double scaled(double alpha, double x) {
    return ::fma(alpha, x, 0.0);
}

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

    // To the tile in shared memory.
    __device__ __forceinline__ void stage(sum* sums, sum alpha, const place_in_cta& own) const {
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
                        scaled(alpha, at[i][j][2 * half]), scaled(alpha, at[i][j][2 * half + 1])};
                }
    }
};

}  // namespace carat::cuda::mma
