// The shared tiles of steps 5 to 7, and what a block computes from them. Both operands are handled
// alike, as matrices of k rows: B as it is, A transposed.
//
//                     Width                    tile[k][x] holds element (k0 + k, x0 + x). A row
//            k0 -> [ . . . . . . ]             of it is what one step along k multiplies: a column
//          Depth   [ . . . . . . ]             of A with a row of B. Rows are padded by one vector,
//                  [ . . . . . . ]             which keeps columns in different banks.
//                    x0
#pragma once

#include "ladder/cuda/product.cuh"

namespace carat::ladder::cuda {

// 16 bytes: the most that one instruction moves.
template <class T>
struct alignas(16) vector {
    static constexpr int size = 16 / sizeof(T);
    T at[size];
};

template <class T, int Depth, int Width>
struct alignas(16) shared_tile {
    T at[Depth][Width + vector<T>::size];

    [[nodiscard]] __device__ vector<T> read(int k, int x) const {
        return *reinterpret_cast<const vector<T>*>(&at[k][x]);
    }
};

// Whether `m` can be read in vectors along the direction in which its elements lie side by side,
// `stride` apart in the other.
template <class T>
[[nodiscard]] __device__ bool aligned_for_vectors(const matrix<T>& m, std::int64_t stride) {
    return reinterpret_cast<std::uintptr_t>(m.data) % 16 == 0 && stride % vector<T>::size == 0;
}

// What a thread holds of the tiles' rows k: the vectors of A's columns that begin at rows[0],
// rows[1] ... and those of B's rows that begin at cols[0], cols[1] ...
template <class T, int RowVectors, int ColVectors>
struct operand_vectors {
    static constexpr int size = vector<T>::size;
    vector<T> column[RowVectors];
    vector<T> row[ColVectors];

    template <int Depth, int TileM, int TileN>
    __device__ __forceinline__ void read(const shared_tile<T, Depth, TileM>& a,
                                         const shared_tile<T, Depth, TileN>& b, int k,
                                         const int (&rows)[RowVectors],
                                         const int (&cols)[ColVectors]) {
#pragma unroll
        for (int v = 0; v < RowVectors; ++v) column[v] = a.read(k, rows[v]);
#pragma unroll
        for (int v = 0; v < ColVectors; ++v) row[v] = b.read(k, cols[v]);
    }

    // sum += column x row. Columns outside: with rows outside the compiler's registers collide in
    // their banks more often, which cost step 7 3 % on an H200.
    __device__ __forceinline__ void multiply(T (&sum)[RowVectors * size][ColVectors * size]) const {
#pragma unroll
        for (int c = 0; c < ColVectors * size; ++c)
#pragma unroll
            for (int r = 0; r < RowVectors * size; ++r)
                sum[r][c] += column[r / size].at[r % size] * row[c / size].at[c % size];
    }
};

// The same for every k of the tiles.
template <class T, int Depth, int TileM, int TileN, int RowVectors, int ColVectors>
__device__ __forceinline__ void multiply_tiles(
    const shared_tile<T, Depth, TileM>& a, const shared_tile<T, Depth, TileN>& b,
    const int (&rows)[RowVectors], const int (&cols)[ColVectors],
    T (&sum)[RowVectors * vector<T>::size][ColVectors * vector<T>::size]) {
#pragma unroll
    for (int k = 0; k < Depth; ++k) {
        operand_vectors<T, RowVectors, ColVectors> own;
        own.read(a, b, k, rows, cols);
        own.multiply(sum);
    }
}

// Stores what multiply_tiles() summed.
template <class T, int RowVectors, int ColVectors>
__device__ __forceinline__ void store_tiles(
    const product<T>& p, origin first, const int (&rows)[RowVectors], const int (&cols)[ColVectors],
    const T (&sum)[RowVectors * vector<T>::size][ColVectors * vector<T>::size]) {
    constexpr int size = vector<T>::size;
#pragma unroll
    for (int r = 0; r < RowVectors * size; ++r)
#pragma unroll
        for (int c = 0; c < ColVectors * size; ++c)
            store(p, first.i + rows[r / size] + r % size, first.j + cols[c / size] + c % size,
                  sum[r][c]);
}

}  // namespace carat::ladder::cuda
