// A warp's part of a large tile, in each arithmetic.
#pragma once

#include "cuda/common/tf32_split.cuh"
#include "cuda/families/mma/accumulators.cuh"
#include "cuda/families/mma/fragments.cuh"
#include "cuda/families/mma/instructions.cuh"
#include "cuda/families/mma/multistage.cuh"

namespace carat::cuda::mma {

// Each step's products are added to the sums.
template <class C>
class direct_part {
  public:
    using reader = typename C::math::template reader<C>;
    using fragments = typename reader::fragments;
    __device__ __forceinline__ direct_part(const arguments<typename C::sum>&, const coordinate&,
                                           const place_in_cta& own)
        : reader_(own) {}

    __device__ __forceinline__ void read(fragments& to, std::uint32_t a, std::uint32_t b,
                                         int step) const {
        reader_.read(to, a, b, step);
    }
    // The same in two parts while another step is multiplied: before its first column, and after
    // each column.
    __device__ __forceinline__ void read_early(fragments& to, std::uint32_t a, std::uint32_t b,
                                               int step) const {
        reader_.read_early(to, a, b, step);
    }
    __device__ __forceinline__ void read_late(fragments& to, std::uint32_t b, int step,
                                              int column) const {
        reader_.read_late(to, b, step, column);
    }
    // `between` is called after each column of pieces.
    static constexpr int columns = accumulators<C>::across;
    template <class Between>
    __device__ __forceinline__ void multiply(fragments& of, const Between& between) {
        multiply(sums_, of, between);
    }
    __device__ __forceinline__ void end_stage(int, bool) {}
    __device__ __forceinline__ void finish() {}
    [[nodiscard]] __device__ __forceinline__ accumulators<C>& sums() { return sums_; }

  protected:
    template <class Between>
    static __device__ __forceinline__ void multiply(accumulators<C>& sums, fragments& of,
                                                    const Between& between) {
        using instruction = typename C::math::instruction;
        constexpr int down = accumulators<C>::down;
        if constexpr (C::math::rounds) {
#pragma unroll
            for (auto& piece : of.a)
#pragma unroll
                for (std::uint32_t& x : piece) round_to_tf32(x);
#pragma unroll
            for (auto& piece : of.b)
#pragma unroll
                for (std::uint32_t& x : piece) round_to_tf32(x);
        }
#pragma unroll
        for (int j = 0; j < accumulators<C>::across; ++j) {
#pragma unroll
            for (int number = 0; number < down; ++number) {
                const int i = j % 2 == 0 ? number : down - 1 - number;
                of.template multiply<instruction>(sums.at[i][j], i, j);
            }
            between(j);
        }
    }

    reader reader_;
    accumulators<C> sums_;
};

// The tensor cores sum fp8 in fewer bits than f32 has: sums of 128 products go to sums of f32,
// multiplied by the scales of their blocks where there are such.
template <class C>
class promoted_part : public direct_part<C> {
    static constexpr int promoted_k = 128;
    static constexpr int stages_of_sum = promoted_k / C::block_k;

  public:
    using typename direct_part<C>::fragments;
    __device__ __forceinline__ promoted_part(const arguments<float>& p, const coordinate& at,
                                             const place_in_cta& own)
        : direct_part<C>(p, at, own), scaling_(p, at, own) {}

    template <class Between>
    __device__ __forceinline__ void multiply(fragments& of, const Between& between) {
        direct_part<C>::multiply(latest_, of, between);
    }
    __device__ __forceinline__ void end_stage(int number, bool is_last) {
        if (!is_last && number % stages_of_sum != stages_of_sum - 1) return;
        scaling_.add(this->sums_, latest_, number / stages_of_sum);
    }

  private:
    typename C::math::template scaling<C> scaling_;
    accumulators<C> latest_;
};

template <class C>
struct no_scaling {
    __device__ __forceinline__ no_scaling(const arguments<float>&, const coordinate&,
                                          const place_in_cta&) {}
    __device__ __forceinline__ void add(accumulators<C>& sums, accumulators<C>& latest, int) const {
        sums.take(latest);
    }
};

// One scale for each row of A and 128 of K, and for each 128 of K by 128 columns of B: a warp's
// columns are of one block. Beyond C the last of its rows and columns stand for those there are
// not.
template <class C>
class block_scaling {
    static_assert(128 % C::warp_n == 0);

  public:
    __device__ __forceinline__ block_scaling(const arguments<float>& p, const coordinate& at,
                                             const place_in_cta& own)
        : of_(p.scales),
          row_(at.row + own.row + own.lane / 4),
          last_row_(at.m - 1),
          first_block_(at.first_k / 128),
          b_(min(at.col + own.col, at.n - 1) / 128 * p.scales.b_across) {}

    __device__ __forceinline__ void add(accumulators<C>& sums, accumulators<C>& latest,
                                        int number) const {
        const int block = first_block_ + number;
        const float of_b = __ldg(of_.b + (b_ + block * of_.b_along));
#pragma unroll
        for (int i = 0; i < accumulators<C>::down; ++i)
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                const int row = min(row_ + i * 16 + half * 8, last_row_);
                const float factor =
                    __ldg(of_.a + (row * of_.a_across + block * of_.a_along)) * of_b;
#pragma unroll
                for (int j = 0; j < accumulators<C>::across; ++j)
#pragma unroll
                    for (int part = 2 * half; part < 2 * half + 2; ++part) {
                        sums.at[i][j][part] =
                            fmaf(latest.at[i][j][part], factor, sums.at[i][j][part]);
                        latest.at[i][j][part] = 0;
                    }
            }
    }

  private:
    const core::block_scales& of_;
    int row_;
    int last_row_;
    int first_block_;
    int b_;
};

// 3xTF32: each number of f32 as two of tf32 (tf32_split.cuh), whose small products have sums of
// their own.
template <class C>
class split_part : public direct_part<C> {
  public:
    using typename direct_part<C>::fragments;
    using direct_part<C>::direct_part;

    template <class Between>
    __device__ __forceinline__ void multiply(fragments& of, const Between& between) {
        using instruction = typename C::math::instruction;
        std::uint32_t small[accumulators<C>::down][4];
#pragma unroll
        for (int i = 0; i < accumulators<C>::down; ++i)
#pragma unroll
            for (int part = 0; part < 4; ++part) split(of.a[i][part], small[i][part]);
#pragma unroll
        for (int j = 0; j < accumulators<C>::across; ++j) {
            std::uint32_t b[2] = {of.b[j / 2][j % 2 * 2], of.b[j / 2][j % 2 * 2 + 1]};
            std::uint32_t small_b[2];
#pragma unroll
            for (int part = 0; part < 2; ++part) split(b[part], small_b[part]);
#pragma unroll
            for (int i = 0; i < accumulators<C>::down; ++i) {
                instruction::multiply(small_.at[i][j], small[i], b);
                instruction::multiply(small_.at[i][j], of.a[i], small_b);
                instruction::multiply(this->sums_.at[i][j], of.a[i], b);
            }
            between(j);
        }
    }
    __device__ __forceinline__ void finish() {
        this->sums_.take(small_);
    }

  private:
    static __device__ __forceinline__ void split(std::uint32_t& x, std::uint32_t& small) {
        const tf32_split parts = split_tf32(__uint_as_float(x));
        x = __float_as_uint(parts.big);
        small = __float_as_uint(parts.small);
    }

    accumulators<C> small_;
};

}  // namespace carat::cuda::mma
