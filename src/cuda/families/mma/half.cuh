// 16-bit elements on the tensor cores, m16n8k16. A warp reads 16 columns of B at a time, so that it
// has registers left for copies that come by twos.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "cuda/families/mma/accumulators.cuh"
#include "cuda/families/mma/config.hpp"
#include "cuda/families/mma/fragments.cuh"
#include "cuda/families/mma/phase.cuh"
#include "cuda/ptx/mma.cuh"

namespace carat::cuda::mma {

// A warp's part of a tile.
template <class C>
class half_part {
  public:
    using operand = tile_of_operand<typename C::element>;
    __device__ __forceinline__ half_part(const operand&, const operand&, const place_in_cta& own)
        : half_part(own) {}
    __device__ __forceinline__ explicit half_part(const place_in_cta& own)
        : a_(own.row, own.lane), b_(own.col, own.lane) {}

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
    fragment_reader<typename C::math, typename C::tile_of_a, second_register::next_lines> a_;
    fragment_reader<typename C::math, typename C::tile_of_b, second_register::next_words> b_;
    accumulators<C> sums_;
};

template <class Element, lies A, lies B>
struct half_math {
    using element = Element;
    using sum = float;
    using narrow = Element;
    template <class C>
    using part = half_part<C>;
    static constexpr int least_capability = ptx::mma_m16n8<Element>::least_capability;
    static constexpr lies a = A;
    static constexpr lies b = B;
    static constexpr int block_k = 32;
    // So that the eight runs that ldmatrix reads together lie in different banks.
    static constexpr int padding_along = 8;
    static constexpr int padding_across = 8;
};

template <lies A, lies B>
using f16_math = half_math<__half, A, B>;
template <lies A, lies B>
using bf16_math = half_math<__nv_bfloat16, A, B>;

}  // namespace carat::cuda::mma
