// f32 by FFMA. A warp multiplies 64 x 64, its lanes in 4 rows of 8; a lane has 16 x 8 accumulators,
// in vectors of four that the lanes take in turn:
//
//     row 0         L0 x4  L1 x4 ... L7 x4   L0 x4 ... L7 x4
//     vector row 4  L8 x4 ...
//     ...           (4 rows of 4, four times)
//
// A step along K costs a lane 4 + 2 loads and 128 FFMAs; whatever is no FFMA takes a slot from one.
//
// MN-major tiles are read in vectors that run along the tile, free of conflicts. A small tile's A
// may be K-major, and is then read in vectors along K, by lanes in rows below each other; a large
// one's would have two operands in one bank too often.
//
// A step's vectors are loaded one step ahead. Two operands of an FFMA must come from different
// banks of registers and the third from the one before it, hence columns outside, rows to and fro.
#pragma once

#include "cuda/simt/arguments.hpp"
#include "cuda/simt/vector.cuh"

namespace carat::cuda::simt {

template <int Rows, int Cols, int LanesM, operand_major A = operand_major::mn>
struct ffma {
    using element = float;
    static constexpr operand_major a_major = A;
    static constexpr operand_major b_major = operand_major::mn;
    static constexpr bool takes_registers = Rows * Cols > 64;
    // With more the compiler takes more, and half of the FFMAs find their operands in one bank.
    static constexpr int registers = 208;
    static constexpr int lanes_n = 32 / LanesM;
    static constexpr int warp_m = LanesM * Rows;
    static constexpr int warp_n = lanes_n * Cols;
    static constexpr int block_k = 8;
    static constexpr int steps = block_k;
    static constexpr int vectors = Rows * Cols / vector<float>::size;
    static constexpr bool stores_lines = true;
    static constexpr int rows = Rows;
    static constexpr int cols = Cols;

    static constexpr int deep =
        A == operand_major::k ? vector<float>::size : 1;  // what is read of A
    struct fragments {
        float a[2][Rows * deep];
        float b[2][Cols];
    };
    struct accumulators {
        float at[Rows][Cols] = {};
    };

    // Where a lane reads its vectors of a stage, in bytes from the stage's beginning.
    template <class C>
    static __device__ __forceinline__ int first_of_a(int row, int lane) {
        const int line = lane / lanes_n;
        return (deep == 1 ? row + line * 4 : (row + line) * block_k) *
               static_cast<int>(sizeof(float));
    }
    template <class C>
    static __device__ __forceinline__ int first_of_b(int col, int lane) {
        return C::a_bytes + (col + lane % lanes_n * 4) * static_cast<int>(sizeof(float));
    }

    template <class C>
    static __device__ __forceinline__ void fetch(fragments& own, const addresses& from, int step) {
        constexpr int bytes = sizeof(float);
        if constexpr (deep == 1) {
#pragma unroll
            for (int r = 0; r < Rows; r += 4)
                read_shared(&own.a[step % 2][r], from.a + (step * C::block_m + r * LanesM) * bytes);
        } else if (step % deep == 0) {
#pragma unroll
            for (int r = 0; r < Rows; ++r)
                read_shared(&own.a[step / deep % 2][r * deep],
                            from.a + (r * LanesM * block_k + step) * bytes);
        }
#pragma unroll
        for (int c = 0; c < Cols; c += 4)
            read_shared(&own.b[step % 2][c], from.b + (step * C::block_n + c * lanes_n) * bytes);
    }

    // The products of step `now` while the vectors of step `next` come.
    template <class C>
    static __device__ __forceinline__ void step(accumulators& s, fragments& own, int now,
                                                const addresses& from, int next) {
        fetch<C>(own, from, next);
#pragma unroll
        for (int c = 0; c < Cols; ++c)
#pragma unroll
            for (int i = 0; i < Rows; ++i) {
                const int r = c % 2 == 0 ? i : Rows - 1 - i;
                s.at[r][c] = fmaf(own.a[now / deep % 2][r * deep + now % deep], own.b[now % 2][c],
                                  s.at[r][c]);
            }
    }

    // Where the i-th four accumulators of a lane are.
    static constexpr int place_step = 1;
    template <class C>
    static __device__ __forceinline__ place place_of(int i, const owner& of) {
        const int r = i / (Cols / 4);
        const int c = i % (Cols / 4) * 4;
        const int col = of.col + of.warp_col + c * lanes_n + of.lane % lanes_n * 4;
        const int line = of.lane / lanes_n;
        const int row = deep == 1 ? r / 4 * 4 * LanesM + line * 4 + r % 4 : r * LanesM + line;
        return {of.row + of.warp_row + row, col};
    }
    static __device__ __forceinline__ vector<float> raw(const accumulators& s, int i) {
        const int r = i / Cols * 4;
        const int c = i % Cols;
        return {s.at[r + 1][c], s.at[r][c], s.at[r + 3][c], s.at[r + 2][c]};
    }
    static __device__ __forceinline__ vector<float> take(const accumulators& s, int i) {
        const int r = i / (Cols / 4);
        const int c = i % (Cols / 4) * 4;
        return {s.at[r][c], s.at[r][c + 1], s.at[r][c + 2], s.at[r][c + 3]};
    }

    // The i-th vector that CTAs send each other: four rows, odd ones first. A vector's registers
    // follow each other, so that accumulators of odd rows lie in the even bank, where the elements
    // of A that they meet do not: without this, or with another order, every second FFMA waits for
    // its bank.
    static constexpr int sent_together = 4;
    static __device__ __forceinline__ vector<float> sent(const accumulators& s, int i) {
        const int r = i / Cols * 4;
        const int c = i % Cols;
        return {s.at[r + 1][c], s.at[r][c], s.at[r + 3][c], s.at[r + 2][c]};
    }
    // Four of them, the first number `first`, as rows again, and the number of row `row` of them.
    static __device__ __forceinline__ void turn_back(vector<float> (&four)[4]) {
        constexpr int place_of_row[4] = {1, 0, 3, 2};
        vector<float> rows[4];
#pragma unroll
        for (int r = 0; r < 4; ++r)
#pragma unroll
            for (int c = 0; c < 4; ++c) rows[r].of[c] = four[c].of[place_of_row[r]];
#pragma unroll
        for (int r = 0; r < 4; ++r) four[r] = rows[r];
    }
    static __device__ __forceinline__ int number_of(int first, int row) {
        return (first / Cols * 4 + row) * (Cols / 4) + first % Cols / 4;
    }
};

}  // namespace carat::cuda::simt
