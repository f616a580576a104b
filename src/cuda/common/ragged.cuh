// Products that share out the lines of one matrix, the rows of x among experts say, as an array in
// GPU memory says: where the lines of each end. Ends that can't be are clamped, so that nothing is
// read or written outside: one before that ahead of it leaves its product no lines, one beyond the
// matrix the lines that there are.
#pragma once

#include "cuda/common/ragged.hpp"

namespace carat::cuda {

// One product's lines, and how many blocks of lines the products before it have.
struct ragged_part {
    int first;
    int end;
    int blocks_before;

    [[nodiscard]] __device__ __forceinline__ int lines() const { return end - first; }
};

// A whole warp walks over the products, 32 at a time.
class ragged_walk {
  public:
    __device__ __forceinline__ ragged_walk(const ragged_ends& of, int block_lines)
        : of_(of), block_lines_(block_lines) {}

    // The part of the lane's product; each call goes on with the next 32.
    __device__ __forceinline__ ragged_part next() {
        const int lane = static_cast<int>(threadIdx.x) % 32;
        const int number = passed_ + lane;
        int end = number < of_.count ? min(max(of_.ends[number], 0), of_.lines) : 0;
        end = max(end, end_);
#pragma unroll
        for (int apart = 1; apart < 32; apart *= 2) {
            const int other = __shfl_up_sync(0xffffffffu, end, apart);
            if (lane >= apart) end = max(end, other);
        }
        const int ahead = __shfl_up_sync(0xffffffffu, end, 1);
        const int first = lane == 0 ? end_ : ahead;
        const int own = (end - first + block_lines_ - 1) / block_lines_;
        int blocks = own;
#pragma unroll
        for (int apart = 1; apart < 32; apart *= 2) {
            const int other = __shfl_up_sync(0xffffffffu, blocks, apart);
            if (lane >= apart) blocks += other;
        }
        const ragged_part part{first, end, blocks_ + blocks - own};
        end_ = __shfl_sync(0xffffffffu, end, 31);
        blocks_ += __shfl_sync(0xffffffffu, blocks, 31);
        passed_ += 32;
        return part;
    }

    [[nodiscard]] __device__ __forceinline__ int passed() const {
        return passed_;
    }  // products
    [[nodiscard]] __device__ __forceinline__ int blocks() const {
        return blocks_;
    }  // of them

  private:
    ragged_ends of_;
    int block_lines_;
    int passed_ = 0;
    int end_ = 0;
    int blocks_ = 0;
};

__device__ __forceinline__ ragged_part from_lane(const ragged_part& part, int lane) {
    return {__shfl_sync(0xffffffffu, part.first, lane), __shfl_sync(0xffffffffu, part.end, lane),
            __shfl_sync(0xffffffffu, part.blocks_before, lane)};
}

// A whole warp finds product `number`. The one past the last has no lines, and all blocks before.
__device__ __forceinline__ ragged_part ragged_part_of(const ragged_ends& of, int block_lines,
                                                      int number) {
    ragged_walk walk(of, block_lines);
    ragged_part part = walk.next();
    while (walk.passed() <= number) part = walk.next();
    return from_lane(part, number % 32);
}

// A block of lines, counted through all products, by a whole warp.
struct ragged_block {
    int product;  // -1: there are not so many
    int first;    // line
    int end;      // of the product's lines
};
__device__ __forceinline__ ragged_block ragged_block_at(const ragged_ends& of, int block_lines,
                                                        int index) {
    ragged_walk walk(of, block_lines);
    while (walk.passed() < of.count) {
        const int before = walk.passed();
        const ragged_part part = walk.next();
        if (index >= walk.blocks()) continue;
        const unsigned begun = __ballot_sync(0xffffffffu, part.blocks_before <= index);
        const int lane = 31 - __clz(static_cast<int>(begun));  // those without lines come before
        const ragged_part own = from_lane(part, lane);
        return {before + lane, own.first + (index - own.blocks_before) * block_lines, own.end};
    }
    return {-1, 0, 0};
}

}  // namespace carat::cuda
