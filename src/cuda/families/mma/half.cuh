// 16-bit elements on the tensor cores, m16n8k16, whichever way the operands lie.
#pragma once

#include "cuda/families/mma/accumulators.cuh"
#include "cuda/families/mma/config.hpp"
#include "cuda/families/mma/phase.cuh"
#include "cuda/ptx/ldmatrix.cuh"
#include "cuda/ptx/mma.cuh"

namespace carat::cuda::mma {

// Where a lane reads an operand's 16 x 16 pieces: lines by k. A piece's second matrix
// (mma.sync's second register) lies 8 lines further in A, and 8 k further in B.
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
        const int line = view.along_k ? C::block_k + C::math::padding_along : 1;
        const int k = view.along_k ? 1 : lines + C::math::padding_across;
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

// A warp's part of a tile.
template <class C>
class half_part {
  public:
    using operand = tile_of_operand<typename C::element>;
    __device__ __forceinline__ half_part(const operand& a, const operand& b,
                                         const place_in_cta& own)
        : a_(piece_reader::of<C>(a.of, C::block_m, own.row, own.lane, true)),
          b_(piece_reader::of<C>(b.of, C::block_n, own.col, own.lane, false)) {}

    // A stage, whose tiles begin at these addresses.
    __device__ __forceinline__ void multiply(std::uint32_t a, std::uint32_t b) {
        using mma = ptx::mma_m16n8<typename C::element>;
        constexpr int down = C::warp_m / 16;
        constexpr int across = C::warp_n / 16;
#pragma unroll
        for (int step = 0; step < C::block_k / mma::k; ++step) {
            std::uint32_t own_a[down][4];
#pragma unroll
            for (int i = 0; i < down; ++i) a_.read(own_a[i], a, i, step);
#pragma unroll
            for (int j = 0; j < across; ++j) {
                std::uint32_t own_b[4];
                b_.read(own_b, b, j, step);
#pragma unroll
                for (int i = 0; i < down; ++i) {
                    mma::multiply(sums_.at[i][2 * j], own_a[i], {own_b[0], own_b[1]});
                    mma::multiply(sums_.at[i][2 * j + 1], own_a[i], {own_b[2], own_b[3]});
                }
            }
        }
    }
    [[nodiscard]] __device__ __forceinline__ const accumulators<C>& sums() const {
        return sums_;
    }

  private:
    piece_reader a_;
    piece_reader b_;
    accumulators<C> sums_;
};

template <class Element>
struct half_math {
    using element = Element;
    using sum = float;
    using narrow = Element;
    template <class C>
    using part = half_part<C>;
    static constexpr int least_capability = ptx::mma_m16n8<Element>::least_capability;
    static constexpr lies a = lies::either;
    static constexpr lies b = lies::either;
    static constexpr int block_k = 32;
    // So that the eight runs that ldmatrix reads together lie in different banks.
    static constexpr int padding_along = 8;
    static constexpr int padding_across = 8;
};

}  // namespace carat::cuda::mma
