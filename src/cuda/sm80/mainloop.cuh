// A warp's part of a tile, multiplied a stage at a time.
#pragma once

#include "cuda/ptx/ldmatrix.cuh"
#include "cuda/ptx/mma.cuh"
#include "cuda/sm80/arguments.hpp"

namespace carat::cuda::sm80 {

template <class C>
struct accumulators {
    static constexpr int down = C::warp_m / 16;
    static constexpr int across = C::warp_n / 8;
    float at[down][across][4] = {};
};

// Where a lane reads an operand's 16 x 16 pieces: lines by k. Of A the second matrix of a piece is
// 8 lines further, of B 8 k: what mma.sync calls its second register.
class piece_reader {
  public:
    template <class C>
    static __device__ __forceinline__ piece_reader of(const operand_view& view, int lines,
                                                      int first, int lane, bool second_is_line) {
        const int down = lane % 8;
        const int next_line = second_is_line ? lane / 8 % 2 * 8 : lane / 16 * 8;
        const int next_k = second_is_line ? lane / 16 * 8 : lane / 8 % 2 * 8;
        piece_reader own;
        own.transposed_ = !view.along_k;
        const int line = view.along_k ? C::block_k + C::padding : 1;
        const int k = view.along_k ? 1 : lines + C::padding;
        own.first_ = 2 * ((first + next_line + (view.along_k ? down : 0)) * line +
                          (next_k + (view.along_k ? 0 : down)) * k);
        own.lines_16_ = 2 * 16 * line;
        own.k_16_ = 2 * 16 * k;
        return own;
    }
    __device__ __forceinline__ void read(std::uint32_t (&to)[4], std::uint32_t stage, int piece,
                                         int step) const {
        ptx::load_matrices(
            to, stage + static_cast<std::uint32_t>(first_ + piece * lines_16_ + step * k_16_),
            transposed_);
    }

  private:
    int first_;  // bytes
    int lines_16_;
    int k_16_;
    bool transposed_;
};

template <class C>
__device__ __forceinline__ void multiply_stage(accumulators<C>& sums, const piece_reader& of_a,
                                               const piece_reader& of_b, std::uint32_t a,
                                               std::uint32_t b) {
    using mma = ptx::mma_m16n8<typename C::element>;
    constexpr int down = C::warp_m / 16;
    constexpr int across = C::warp_n / 16;
#pragma unroll
    for (int step = 0; step < C::block_k / mma::k; ++step) {
        std::uint32_t own_a[down][4];
#pragma unroll
        for (int i = 0; i < down; ++i) of_a.read(own_a[i], a, i, step);
#pragma unroll
        for (int j = 0; j < across; ++j) {
            std::uint32_t own_b[4];
            of_b.read(own_b, b, j, step);
#pragma unroll
            for (int i = 0; i < down; ++i) {
                mma::multiply(sums.at[i][2 * j], own_a[i], {own_b[0], own_b[1]});
                mma::multiply(sums.at[i][2 * j + 1], own_a[i], {own_b[2], own_b[3]});
            }
        }
    }
}

}  // namespace carat::cuda::sm80
