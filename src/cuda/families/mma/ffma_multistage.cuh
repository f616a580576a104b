// f32 by FFMA in large tiles of operands that lie across K. A warp multiplies 64 x 64, its lanes in
// 4 rows of 8. A lane has 16 x 8 sums, in vectors of four that the lanes take in turn:
//
//     row 0     L0 x4  L1 x4 .. L7 x4   L0 x4 .. L7 x4
//     row 4     L8 x4  ..
//     ...       (4 rows of 4, four times)
//
// One k costs a lane 4 + 2 loads and 128 FFMAs. Whatever is no FFMA takes an issue slot from one.
#pragma once

#include "cuda/families/mma/multistage.cuh"

namespace carat::cuda::mma {

__device__ __forceinline__ void read_four(float* to, std::uint32_t from) {
    asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(to[0]), "=f"(to[1]), "=f"(to[2]), "=f"(to[3])
                 : "r"(from));
}

// at[i][j][q] is the sum of row 16 i + 4 (lane / 8) + q and column 32 (j / 4) + 4 (lane % 8) + j %
// 4 of the warp's part.
template <class C>
struct ffma_accumulators : accumulators<C> {
    using base = accumulators<C>;

    __device__ __forceinline__ void stage_piece(int piece, float* slab,
                                                const scaling<float>& scaled, int lane) const {
#pragma unroll
        for (int i = 0; i < base::down; ++i) {
            if (i != piece) continue;
#pragma unroll
            for (int q = 0; q < 4; ++q) {
                float* const to = slab + (lane / 8 * 4 + q) * C::sums_stride + lane % 8 * 4;
#pragma unroll
                for (int j = 0; j < base::across; j += 4)
                    *reinterpret_cast<float4*>(to + j * 8) = {
                        scaled(this->at[i][j][q]), scaled(this->at[i][j + 1][q]),
                        scaled(this->at[i][j + 2][q]), scaled(this->at[i][j + 3][q])};
            }
        }
    }
};

template <class C>
class ffma_multistage_part {
    using sums_of_lane = ffma_accumulators<C>;
    static constexpr int down = sums_of_lane::down;
    static_assert(C::warp_m == 64 && C::warp_n == 64);

  public:
    static constexpr int columns = sums_of_lane::across;
    struct fragments {
        float a[4 * down];
        float b[columns];
    };
    __device__ __forceinline__ ffma_multistage_part(const arguments<float>&, const coordinate&,
                                                    const place_in_cta& own)
        : a_(4 * (own.row + own.lane / 8 * 4)), b_(4 * (own.col + own.lane % 8 * 4)) {}

    __device__ __forceinline__ void read(fragments& to, std::uint32_t a, std::uint32_t b,
                                         int step) const {
        a += static_cast<std::uint32_t>(a_ + 4 * step * C::tile_of_a::k);
        b += static_cast<std::uint32_t>(b_ + 4 * step * C::tile_of_b::k);
#pragma unroll
        for (int i = 0; i < down; ++i) read_four(to.a + 4 * i, a + 4 * 16 * i);
#pragma unroll
        for (int j = 0; j < columns; j += 4) read_four(to.b + j, b + 4 * 8 * j);
    }
    __device__ __forceinline__ void read_early(fragments& to, std::uint32_t a, std::uint32_t b,
                                               int step) const {
        read(to, a, b, step);
    }
    __device__ __forceinline__ void read_late(fragments&, std::uint32_t, int, int) const {}

    // Two operands of an FFMA must come from different banks of registers and the third from the
    // one before it, hence columns outside, rows to and fro.
    template <class Between>
    __device__ __forceinline__ void multiply(fragments& of, const Between& between) {
#pragma unroll
        for (int j = 0; j < columns; ++j) {
#pragma unroll
            for (int number = 0; number < 4 * down; ++number) {
                const int row = j % 2 == 0 ? number : 4 * down - 1 - number;
                float& sum = sums_.at[row / 4][j][row % 4];
                sum = fmaf(of.a[row], of.b[j], sum);
            }
            between(j);
        }
    }
    __device__ __forceinline__ void end_stage(int, bool) {}
    __device__ __forceinline__ void finish() {}
    [[nodiscard]] __device__ __forceinline__ sums_of_lane& sums() {
        return sums_;
    }

  private:
    int a_;  // bytes
    int b_;
    sums_of_lane sums_;
};

// 32 bytes of K a stage, for a loop that fits into the cache of instructions.
template <lies A, lies B>
struct f32_multistage {
    using element = float;
    using sum = float;
    using narrow = float;
    template <class C>
    using part = ffma_multistage_part<C>;
    static constexpr int least_capability = 75;
    static constexpr int step_k = 1;
    static constexpr bool reads_ahead = true;
    static constexpr lies a = A;
    static constexpr lies b = B;
    static constexpr int block_k = 8;
    static constexpr int padding_along = 0;
    static constexpr int padding_across = 0;
};

}  // namespace carat::cuda::mma
