// f32 by FFMA. A warp multiplies 64 x 64, its lanes in 4 rows of 8; a lane has 16 x 8 accumulators,
// in vectors of four that the lanes take in turn:
//
//     row 0         L0 x4  L1 x4 ... L7 x4   L0 x4 ... L7 x4
//     vector row 4  L8 x4 ...
//     ...           (4 rows of 4, four times)
//
// A step along K costs a lane 4 + 2 loads and 128 FFMAs; whatever is no FFMA takes a slot from one.
//
// MN-major tiles are read in vectors that run along the tile, free of conflicts. Operands of a
// small tile may be K-major, and are then read in vectors along K, by lanes in lines after each
// other; those of a large one would lie in one bank of registers too often.
//
// A step's vectors are loaded one step ahead. Two operands of an FFMA must come from different
// banks of registers and the third from the one before it, hence columns outside, rows to and fro.
#pragma once

#include "cuda/families/fma/arguments.hpp"
#include "cuda/families/fma/vector.cuh"

namespace carat::cuda::fma {

template <int Rows, int Cols, int LanesM, operand_major A = operand_major::mn,
          operand_major B = operand_major::mn>
struct ffma {
    using element = float;
    static constexpr operand_major a_major = A;
    static constexpr operand_major b_major = B;
    static constexpr bool takes_registers = Rows * Cols > 64;
    // If allowed more, the compiler uses more, and half of the FFMAs have a bank conflict.
    static constexpr int registers = 208;
    static constexpr int lanes_n = 32 / LanesM;
    static constexpr int warp_m = LanesM * Rows;
    static constexpr int warp_n = lanes_n * Cols;
    static constexpr int block_k = 8;
    static constexpr int steps = block_k;
    static constexpr int vectors = Rows * Cols / vector<float>::size;
    static constexpr bool stores_lines = B == operand_major::mn;  // its lanes have neighbours
    static constexpr int rows = Rows;
    static constexpr int cols = Cols;

    // How much of a line is read at once: four k of both operands would need too many registers.
    static constexpr int deep = A == B ? 2 : 4;
    static constexpr int deep_a = A == operand_major::k ? deep : 1;
    static constexpr int deep_b = B == operand_major::k ? deep : 1;
    struct fragments {
        float a[2][Rows * deep_a];
        float b[2][Cols * deep_b];
    };
    struct accumulators {
        float at[Rows][Cols] = {};
    };

    // Where a lane reads its vectors of a stage, in bytes from the stage's beginning.
    template <class C>
    static __device__ __forceinline__ int first_of_a(int row, int lane) {
        const int line = lane / lanes_n;
        return (deep_a == 1 ? row + line * 4 : (row + line) * block_k) *
               static_cast<int>(sizeof(float));
    }
    template <class C>
    static __device__ __forceinline__ int first_of_b(int col, int lane) {
        const int line = lane % lanes_n;
        return C::a_bytes + (deep_b == 1 ? col + line * 4 : (col + line) * block_k) *
                                static_cast<int>(sizeof(float));
    }

    // Fetches the `Count` lines of a lane, one of `Lanes` lanes across a tile of `Tile` lines.
    template <int Deep, int Count, int Lanes, int Tile>
    static __device__ __forceinline__ void fetch_lines(float (&to)[2][Count * Deep],
                                                       std::uint32_t from, int step) {
        constexpr int bytes = sizeof(float);
        if constexpr (Deep == 1) {
#pragma unroll
            for (int i = 0; i < Count; i += 4)
                read_shared<4>(&to[step % 2][i], from + (step * Tile + i * Lanes) * bytes);
        } else if (step % Deep == 0) {
#pragma unroll
            for (int i = 0; i < Count; ++i)
                read_shared<Deep>(&to[step / Deep % 2][i * Deep],
                                  from + (i * Lanes * block_k + step) * bytes);
        }
    }
    template <class C>
    static __device__ __forceinline__ void fetch(fragments& own, const addresses& from, int step) {
        fetch_lines<deep_a, Rows, LanesM, C::block_m>(own.a, from.a, step);
        fetch_lines<deep_b, Cols, lanes_n, C::block_n>(own.b, from.b, step);
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
                s.at[r][c] = fmaf(own.a[now / deep_a % 2][r * deep_a + now % deep_a],
                                  own.b[now / deep_b % 2][c * deep_b + now % deep_b], s.at[r][c]);
            }
    }

    // Where the i-th four accumulators of a lane are.
    static constexpr int row_step = 0;
    static constexpr int col_step = deep_b == 1 ? 1 : lanes_n;
    template <class C>
    static __device__ __forceinline__ place place_of(int i, const owner& of) {
        const int r = i / (Cols / 4);
        const int c = i % (Cols / 4) * 4;
        const int across = of.lane % lanes_n * (deep_b == 1 ? 4 : 1);
        const int col = of.col + of.warp_col + c * lanes_n + across;
        const int line = of.lane / lanes_n;
        const int row = deep_a == 1 ? r / 4 * 4 * LanesM + line * 4 + r % 4 : r * LanesM + line;
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
    // Turns four of them, from number `first` on, back into rows; number_of() gives a row's number.
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

}  // namespace carat::cuda::fma
