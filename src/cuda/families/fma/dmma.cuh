// f64 by the tensor cores' own f64 instruction, m16n8k8. A warp multiplies 64 x 32, or 32 x 32:
// 4 x 4 or 2 x 4 instructions a step of 8 of K. Operands may be K-major or MN-major.
//
// The instruction wants its operands in registers that follow each other, in an order in which no
// vector of shared memory comes, so a lane reads them one by one; at 128 products a clock there is
// time for that. It does not mind how its rows and columns are numbered, as long as C agrees. Here
// they are numbered so that the 16 lanes that read together meet every bank once:
//
//     K-major    swizzled lines of 16 k: rows 0 2 4 6, then 1 3 5 7, of eight; their chunks of two
//                k, 0 and 1 (or 2 and 3 ...), lie in four different quarters of the line
//     MN-major   swizzled lines of 16 rows for each k: chunks 0 and 4, then 1 and 5 (2 and 6, 3 and
//                7 in the second eight), of which no two of four k meet
#pragma once

#include "cuda/families/fma/arguments.hpp"
#include "cuda/families/fma/vector.cuh"
#include "cuda/ptx/descriptor.cuh"
#include "cuda/ptx/mma.cuh"

namespace carat::cuda::fma {

// Which line of an operand is the instruction's row (or column) `g` of eight. `second` chooses the
// second eight of sixteen lines.
template <operand_major Major>
__device__ __forceinline__ int line_of(int g, int second) {
    if constexpr (Major == operand_major::k) return second * 8 + g % 4 * 2 + g / 4;
    return g / 2 % 2 * 8 + second * 4 + g / 4 * 2 + g % 2;
}

// Where a lane reads an operand's tile whose line `first` is its warp's first one, in bytes.
template <operand_major Major>
__device__ __forceinline__ int first_read(int first, int lane) {
    const int word = lane % 4;
    const int line = line_of<Major>(lane / 4, 0);
    if constexpr (Major == operand_major::k)
        return (first * 8 + ptx::swizzled_chunk(line, word / 2)) * 16 + word % 2 * 8;
    else
        return (first * 8 + ptx::swizzled_chunk(word, line / 2)) * 16 + line % 2 * 8;
}

// Reads group number `eight` of the warp's groups of eight lines, at k = 8 step + 4 half + word.
// `first` is what first_read() gave. Tiles begin on a swizzle atom, so the bits that swizzling
// flips are bits of the address.
template <operand_major Major>
__device__ __forceinline__ void read(double& x, std::uint32_t first, int eight, int step,
                                     int half) {
    if constexpr (Major == operand_major::k)
        read_shared(x, (first ^ (step * 64 + half * 32)) + eight * 8 * 128);
    else
        read_shared(x, (first ^ (half * 64 + eight % 2 * 32)) + eight / 2 * 16 * 128 +
                           (step * 8 + half * 4) * 128);
}

template <operand_major A, operand_major B, int High, int Wide>
struct dmma {
    using element = double;
    using instruction = ptx::mma_f64_m16n8k8;
    static constexpr operand_major a_major = A;
    static constexpr operand_major b_major = B;
    static constexpr bool takes_registers = High * Wide > 8;
    static constexpr int registers = 232;
    static constexpr int warp_m = High * 16;
    static constexpr int warp_n = Wide * 8;
    static constexpr int block_k = 16;
    static constexpr int steps = 2;
    static constexpr int vectors = warp_m * warp_n / 32 / vector<double>::size;
    static constexpr bool stores_lines = B == operand_major::mn;  // its lanes have neighbours
    static constexpr int high = High;
    static constexpr int wide = Wide;

    struct fragments {
        double a[High][4];
        double b[Wide][2];
    };
    struct accumulators {
        double at[High][Wide][4] = {};
    };

    template <class C>
    static __device__ __forceinline__ int first_of_a(int row, int lane) {
        return first_read<A>(row, lane);
    }
    template <class C>
    static __device__ __forceinline__ int first_of_b(int col, int lane) {
        return C::a_bytes + first_read<B>(col, lane);
    }

    static __device__ __forceinline__ void fetch_a(double (&to)[4], std::uint32_t from, int i,
                                                   int step) {
#pragma unroll
        for (int e = 0; e < 4; ++e) read<A>(to[e], from, 2 * i + e % 2, step, e / 2);
    }
    static __device__ __forceinline__ void fetch_b(double (&to)[2], std::uint32_t from, int j,
                                                   int step) {
        read<B>(to[0], from, j, step, 0);
        read<B>(to[1], from, j, step, 1);
    }
    template <class C>
    static __device__ __forceinline__ void fetch(fragments& own, const addresses& from, int step) {
#pragma unroll
        for (int j = 0; j < Wide; ++j) fetch_b(own.b[j], from.b, j, step);
#pragma unroll
        for (int i = 0; i < High; ++i) fetch_a(own.a[i], from.a, i, step);
    }

    // The products of a step while what step `next` multiplies comes: each operand's place is free
    // when its last product has read it, which is so when the product after that has begun.
    template <class C>
    static __device__ __forceinline__ void step(accumulators& s, fragments& own, int,
                                                const addresses& from, int next) {
#pragma unroll
        for (int i = 0; i < High; ++i)
#pragma unroll
            for (int j = 0; j < Wide; ++j) {
                instruction::multiply(s.at[i][j], own.a[i], own.b[j]);
                if (j == 0 && i > 0) fetch_a(own.a[i - 1], from.a, i - 1, next);
                if (j > 0 && i == High - 1) fetch_b(own.b[j - 1], from.b, j - 1, next);
            }
        fetch_b(own.b[Wide - 1], from.b, Wide - 1, next);
        fetch_a(own.a[High - 1], from.a, High - 1, next);
    }

    // Where the i-th two accumulators of a lane are.
    static constexpr int row_step = 0;
    static constexpr int col_step = B == operand_major::k ? 2 : 1;
    template <class C>
    static __device__ __forceinline__ place place_of(int i, const owner& of) {
        const int tile = i / 2 / Wide;
        const int j = i / 2 % Wide;
        return {of.row + of.warp_row + tile * 16 + line_of<A>(of.lane / 4, i % 2),
                of.col + of.warp_col + j / 2 * 16 + line_of<B>(of.lane % 4 * 2, j % 2)};
    }
    static __device__ __forceinline__ vector<double> take(const accumulators& s, int i) {
        const double(&c)[4] = s.at[i / 2 / Wide][i / 2 % Wide];
        return {c[i % 2 * 2], c[i % 2 * 2 + 1]};
    }

    // CTAs send each other the same vectors.
    static constexpr int sent_together = 1;
    static __device__ __forceinline__ vector<double> sent(const accumulators& s, int i) {
        return take(s, i);
    }
    static __device__ __forceinline__ void turn_back(vector<double> (&)[1]) {}
    static __device__ __forceinline__ int number_of(int first, int) {
        return first;
    }
};

}  // namespace carat::cuda::fma
