// An operand's way into shared memory, a stage at a time, as its runs lie:
//
//     along K     [ line 0: 32 k | .. | line 1: 32 k | .. ]      "..": padding
//     across K    [ k 0: lines   | .. | k 1: lines   | .. ]
//
// Copies of 4 to 16 bytes go past the registers; where runs begin between two words, elements come
// by twos through registers, which are stored when the stage before has been multiplied. What is
// beyond the operand is 0.
#pragma once

#include "cuda/common/async_copy.cuh"
#include "cuda/sm80/arguments.hpp"

namespace carat::cuda::sm80 {

// Of an operand `Lines` of a tile.
template <class C, int Lines>
class loader {
    using element = typename C::element;
    static constexpr int elements = Lines * C::block_k;
    static constexpr int pairs = elements / 2 / C::threads;  // of a thread

  public:
    __device__ __forceinline__ loader(const operand_view& of, std::int64_t product, int first,
                                      int lines, int depth)
        : stride_(of.run_stride), along_k_(of.along_k), together_(of.together) {
        from_ = static_cast<const element*>(of.data) + product * of.product_stride +
                (along_k_ ? first * of.run_stride : first);
        runs_ = along_k_ ? lines - first : depth;
        length_ = along_k_ ? depth : lines - first;
    }

    // Starts copying a stage, and goes on to the next one.
    __device__ __forceinline__ void start(element* to) {
        switch (together_) {
            case 8:
                copy<8>(to);
                break;
            case 4:
                copy<4>(to);
                break;
            case 2:
                copy<2>(to);
                break;
            default:
                read_pairs();
        }
        if (along_k_) {
            from_ += C::block_k;
            length_ -= C::block_k;
        } else {
            from_ += C::block_k * stride_;
            runs_ -= C::block_k;
        }
    }

    // What start() has read.
    __device__ __forceinline__ void finish(element* to) const {
        if (together_ != 1) return;
#pragma unroll
        for (int i = 0; i < pairs; ++i) {
            const spot at = spot_of<2>(i);
            *reinterpret_cast<std::uint32_t*>(to + at.run * stride_there() + at.along) = held_[i];
        }
    }

  private:
    struct spot {
        int run;
        int along;
    };
    // Of the thread's i-th copy.
    template <int Together>
    [[nodiscard]] __device__ __forceinline__ spot spot_of(int i) const {
        constexpr int per_line = C::block_k / Together;
        constexpr int per_depth = Lines / Together;
        const int at = static_cast<int>(threadIdx.x) + i * C::threads;
        if (along_k_) return {at / per_line, at % per_line * Together};
        return {at / per_depth, at % per_depth * Together};
    }
    [[nodiscard]] __device__ __forceinline__ int stride_there() const {
        return (along_k_ ? C::block_k : Lines) + C::padding;
    }

    template <int Together>
    __device__ __forceinline__ void copy(element* to) const {
        constexpr int bytes = Together * static_cast<int>(sizeof(element));
        constexpr int count = elements / Together;
#pragma unroll
        for (int i = 0; i < (count + C::threads - 1) / C::threads; ++i) {
            const spot at = spot_of<Together>(i);
            const int there = at.run < runs_ ? min(max(length_ - at.along, 0), Together) : 0;
            const element* const from = from_ + at.run * stride_ + at.along;
            if (count % C::threads == 0 || i * C::threads + static_cast<int>(threadIdx.x) < count)
                copy_part_async<bytes>(to + at.run * stride_there() + at.along,
                                       there > 0 ? from : from_,
                                       there * static_cast<int>(sizeof(element)));
        }
    }

    __device__ __forceinline__ void read_pairs() {
#pragma unroll
        for (int i = 0; i < pairs; ++i) {
            const spot at = spot_of<2>(i);
            const int there = at.run < runs_ ? length_ - at.along : 0;
            const auto* const from =
                reinterpret_cast<const unsigned short*>(from_ + at.run * stride_ + at.along);
            const std::uint32_t low = there > 0 ? __ldg(from) : 0;
            const std::uint32_t high = there > 1 ? __ldg(from + 1) : 0;
            held_[i] = low | high << 16;
        }
    }

    const element* from_;
    std::int64_t stride_;
    int runs_;    // left, from the stage's first on
    int length_;  // likewise, of each
    bool along_k_;
    int together_;
    std::uint32_t held_[pairs];
};

}  // namespace carat::cuda::sm80
