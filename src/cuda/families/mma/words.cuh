// f64, and f32 as tf32, on the tensor cores: m16n8k8, whose operands a lane reads from shared
// memory by single elements, wherever they lie.
//
// The instruction does not mind how K is numbered, as long as A and B agree. A lane with `word` =
// lane % 4 has two k of each line:
//
//     f64    word and word + 4         runs 4 elements longer: 16 lanes meet every bank once
//     tf32   2 word and the next one   along K one read of 8 bytes, runs 8 longer; across 4 longer
//
// Runs that begin between 16 bytes are read where they lie (phase.cuh), tf32's by two reads.
#pragma once

#include "cuda/families/mma/accumulators.cuh"
#include "cuda/families/mma/config.hpp"
#include "cuda/families/mma/instructions.cuh"
#include "cuda/families/mma/phase.cuh"
#include "cuda/ptx/mma.cuh"

namespace carat::cuda::mma {

template <lies A, lies B>
struct f64_math;
template <lies A, lies B>
struct tf32_math;

__device__ __forceinline__ void read_one(double& x, std::uint32_t from) {
    asm volatile("ld.shared.f64 %0, [%1];" : "=d"(x) : "r"(from));
}
__device__ __forceinline__ void read_one(std::uint32_t& x, std::uint32_t from) {
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(x) : "r"(from));
}
__device__ __forceinline__ void read_two(std::uint32_t& x, std::uint32_t& y, std::uint32_t from) {
    asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(x), "=r"(y) : "r"(from));
}

// Elements as the instruction takes them.
__device__ __forceinline__ void prepare(double&) {}
__device__ __forceinline__ void prepare(std::uint32_t& x) {
    round_to_tf32(x);
}

// Where a lane reads eight lines of an operand's tile, the first of all being `first`.
template <class Math, class Tile>
class line_reader {
    using word = typename Math::word;
    static constexpr int size = sizeof(word);
    static constexpr bool along_k = Tile::k == 1;

  public:
    static constexpr bool may_read_two = Math::next_k == 1 && along_k;

    __device__ __forceinline__ line_reader(const phases<typename Math::element>& phase, int first,
                                           int lane, int first_k) {
        const int line = first + lane / 4;
        const int k = first_k + Math::first_k(lane % 4);
        const auto place = [&](int of_k) {
            return size *
                   (line * Tile::line + of_k * Tile::k + phase.of_run(along_k ? line : of_k));
        };
        first_ = place(k);
        second_ = place(k + Math::next_k);
        reads_two_ = phase.are_multiples_of(2);
    }
    [[nodiscard]] __device__ __forceinline__ bool reads_two() const {
        return !may_read_two || reads_two_;
    }

    // Its two k of step `step`, of the lines that begin `line` after the first.
    template <bool ReadsTwo>
    __device__ __forceinline__ void read(word& x, word& y, std::uint32_t stage, int line,
                                         int step) const {
        const std::uint32_t from = stage + size * (line * Tile::line + step * 8 * Tile::k);
        if constexpr (may_read_two && ReadsTwo) {
            read_two(x, y, from + static_cast<std::uint32_t>(first_));
        } else {
            read_one(x, from + static_cast<std::uint32_t>(first_));
            read_one(y, from + static_cast<std::uint32_t>(second_));
        }
        prepare(x), prepare(y);
    }

  private:
    int first_;  // bytes
    int second_;
    bool reads_two_;
};

// A warp's part of a tile.
template <class C>
class words_part {
    using math = typename C::math;
    using word = typename math::word;
    using reader_of_a = line_reader<math, typename C::tile_of_a>;
    using reader_of_b = line_reader<math, typename C::tile_of_b>;

  public:
    using operand = tile_of_operand<typename C::element>;
    __device__ __forceinline__ words_part(const operand& a, const operand& b,
                                          const place_in_cta& own)
        : a_(a.phase, own.row, own.lane, own.k_group * C::k_of_group),
          b_(b.phase, own.col, own.lane, own.k_group * C::k_of_group) {}

    // A stage, whose tiles begin at these addresses.
    __device__ __forceinline__ void multiply(std::uint32_t a, std::uint32_t b) {
        constexpr bool may_read_two = reader_of_a::may_read_two || reader_of_b::may_read_two;
        if (!may_read_two || (a_.reads_two() && b_.reads_two()))
            multiply_as<true>(a, b);
        else
            multiply_as<false>(a, b);
    }
    [[nodiscard]] __device__ __forceinline__ const accumulators<C>& sums() const { return sums_; }

  private:
    template <bool ReadsTwo>
    __device__ __forceinline__ void multiply_as(std::uint32_t a, std::uint32_t b) {
        constexpr int down = accumulators<C>::down;
        constexpr int across = accumulators<C>::across;
#pragma unroll
        for (int step = 0; step < C::k_of_group / 8; ++step) {
            word own_a[down][4];
            word own_b[across][2];
#pragma unroll
            for (int i = 0; i < down; ++i)
#pragma unroll
                for (int half = 0; half < 2; ++half)
                    a_.template read<ReadsTwo>(own_a[i][half], own_a[i][half + 2], a,
                                               i * 16 + half * 8, step);
#pragma unroll
            for (int j = 0; j < across; ++j)
                b_.template read<ReadsTwo>(own_b[j][0], own_b[j][1], b, j * 8, step);
#pragma unroll
            for (int j = 0; j < across; ++j)
#pragma unroll
                for (int i = 0; i < down; ++i)
                    math::instruction::multiply(sums_.at[i][j], own_a[i], own_b[j]);
        }
    }

    reader_of_a a_;
    reader_of_b b_;
    accumulators<C> sums_;
};

template <lies A, lies B>
struct f64_math {
    using element = double;
    using sum = double;
    using narrow = double;
    using word = double;
    using instruction = mma_f64;
    template <class C>
    using part = words_part<C>;
    static constexpr int least_capability = instruction::least_capability;
    static constexpr lies a = A;
    static constexpr lies b = B;
    static constexpr int block_k = 16;
    static constexpr int padding_along = 4;
    static constexpr int padding_across = 4;
    static constexpr int next_k = 4;
    static __device__ __forceinline__ int first_k(int word) { return word; }
};

template <lies A, lies B>
struct tf32_math {
    using element = float;
    using sum = float;
    using narrow = float;
    using word = std::uint32_t;
    using instruction = ptx::mma_m16n8<ptx::tf32>;
    template <class C>
    using part = words_part<C>;
    static constexpr int least_capability = instruction::least_capability;
    static constexpr lies a = A;
    static constexpr lies b = B;
    static constexpr int block_k = 32;
    static constexpr int padding_along = 8;
    static constexpr int padding_across = 4;
    static constexpr int next_k = 1;
    static __device__ __forceinline__ int first_k(int word) { return 2 * word; }
};

}  // namespace carat::cuda::mma
