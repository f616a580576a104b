// How f64 that begins anywhere lies before the lanes of a warp. m16n8k8 does not mind how its rows,
// columns and K are numbered; a numbering says which sixteen elements of an operand are read
// together, so that they meet every bank of shared memory once.
//
// An operand is odd if its lines are an odd number of elements apart: every second one then arrives
// an element early. Lines of shared memory are two elements longer than a multiple of sixteen, and
// those of A, and of B if A or B is odd, lie in two parts: even ones, odd ones.
//
//               read together                    elements beyond a multiple of sixteen
//     A odd     rows 0, 8, 1, 9; k 0, 2, 4, 6    0, 8, 1, 9; 0, 2, 4, 6
//     A even    rows 0, 4, 8, 12; k 0, 1, 2, 3   0, 4, 8, 12; 0, 1, 2, 3
//     B odd     k 0, 1, 2, 3; columns 0, 4, 8, 12    0, 1, 2, 3; 0, 4, 8, 12
//     B even    four lines; columns 0, 1, 8, 9   0, 2, 4, 6; 0, 1, 8, 9
#pragma once

#include "cuda/families/fma/arguments.hpp"
#include "cuda/families/fma/vector.cuh"

namespace carat::cuda::fma {

// The row of A of sixteen, the column of B of sixteen and the first k of eight that a lane reads,
// whose group is lane / 4 and whose word is lane % 4.
struct numbering_of_odd_a {
    static constexpr int parts_of_b = 2;  // even lines, odd lines
    static constexpr int second_row = 4;  // from the instruction's first eight rows to the others
    static constexpr int second_col = 4;  // from an instruction to the one beside it
    static constexpr int next_col = 1;    // from a lane's first sum to its second
    static __device__ __forceinline__ int row(int group) {
        return group % 2 * 8 + group / 2 % 2 + group / 4 * 2;
    }
    static __device__ __forceinline__ int col(int group) {
        return group / 2 % 2 * 8 + group % 2 + group / 4 * 2;
    }
    static constexpr int next_k = 1;  // from a lane's first k to its second
    static __device__ __forceinline__ int first_k(int word) { return 2 * word; }
    // A row's columns change places by this on the way to C, so that banks are met once again.
    static __device__ __forceinline__ int swap(int row) { return row / 8 % 2 * 4; }
};
struct numbering_of_odd_b {
    static constexpr int parts_of_b = 2;
    static constexpr int second_row = 1;
    static constexpr int second_col = 2;
    static constexpr int next_col = 4;
    static __device__ __forceinline__ int row(int group) { return group % 4 * 4 + group / 4 * 2; }
    static __device__ __forceinline__ int col(int group) { return group % 4 * 4 + group / 4; }
    static constexpr int next_k = 4;
    static __device__ __forceinline__ int first_k(int word) { return word; }
    static __device__ __forceinline__ int swap(int row) { return row / 4 % 4 * 2; }
};
struct numbering_of_even {
    static constexpr int parts_of_b = 1;
    static constexpr int second_row = 1;
    static constexpr int second_col = 4;
    static constexpr int next_col = 1;
    static __device__ __forceinline__ int row(int group) { return numbering_of_odd_b::row(group); }
    static __device__ __forceinline__ int col(int group) { return numbering_of_odd_a::col(group); }
    static constexpr int next_k = 4;
    static __device__ __forceinline__ int first_k(int word) { return word; }
    static __device__ __forceinline__ int swap(int row) { return row / 4 % 2 * 4; }
};

// A warp's sums: High x Wide instructions.
template <class Numbering, int High, int Wide>
struct straight_dmma {
    using element = double;
    using numbering = Numbering;
    static constexpr int high = High;
    static constexpr int wide = Wide;
    static constexpr int warp_m = High * 16;
    static constexpr int warp_n = Wide * 8;
    static constexpr int vectors = warp_m * warp_n / 64;
    static constexpr bool stores_lines = false;
    static constexpr int row_step = 0;
    static constexpr int col_step = Numbering::next_col;
    static constexpr int sent_together = 1;

    struct accumulators {
        double at[High][Wide][4] = {};
    };
    // Two of a row.
    template <class C>
    static __device__ __forceinline__ place place_of(int i, const owner& of) {
        const int j = i / 2 % Wide;
        return {of.row + of.warp_row + i / 2 / Wide * 16 + Numbering::row(of.lane / 4) +
                    i % 2 * Numbering::second_row,
                of.col + of.warp_col + j / 2 * 16 + Numbering::col(of.lane % 4 * 2) +
                    j % 2 * Numbering::second_col};
    }
    static __device__ __forceinline__ vector<double> take(const accumulators& s, int i) {
        const double(&c)[4] = s.at[i / 2 / Wide][i / 2 % Wide];
        return {c[i % 2 * 2], c[i % 2 * 2 + 1]};
    }
    static __device__ __forceinline__ vector<double> sent(const accumulators& s, int i) {
        return take(s, i);
    }
    static __device__ __forceinline__ void turn_back(vector<double> (&)[1]) {}
    static __device__ __forceinline__ int number_of(int first, int) { return first; }
};

}  // namespace carat::cuda::fma
