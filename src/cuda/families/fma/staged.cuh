// The way of a tile's sums to C through shared memory: lanes write what they have, then a warp
// stores a row. It begins where 128 bytes of C do, ahead of the row if need be, so that what it
// stores at a time is whole but for the row's ends. Stored by the lanes that have them, odd rows of
// f64 took more than twice as long on an H200: L2 takes the parts of a sector one after the other.
#pragma once

#include <cstdint>

#include "cuda/families/fma/arguments.hpp"
#include "cuda/families/fma/groups.cuh"
#include "cuda/families/fma/pipeline.cuh"
#include "cuda/families/fma/vector.cuh"
#include "cuda/ptx/thread.cuh"

namespace carat::cuda::fma {

// place(row, col): the address of the tile's element. It is for C = alpha A B alone.
template <class C, class T, class Place>
__device__ __forceinline__ void store_rows(const arguments<T>& p, const owner& of, int thread,
                                           const Place& place) {
    constexpr int in_line = 128 / static_cast<int>(sizeof(T));
    constexpr int at_once = 4;  // rows, whose loads don't wait for each other
    const int rows = min(C::block_m, p.m - of.row);
    const int cols = min(C::block_n, p.n - of.col);
    const int lane = thread % 32;
    T* to = p.c + (of.first + (of.row + thread / 32) * p.row_stride + of.col);
#pragma unroll 1
    for (int first = thread / 32; first < rows; first += C::warps * at_once)
#pragma unroll
        for (int i = 0; i < at_once; ++i, to += C::warps * p.row_stride) {
            const int row = first + i * C::warps;
            const auto over =
                static_cast<int>(reinterpret_cast<std::uintptr_t>(to) / sizeof(T) % in_line);
#pragma unroll
            for (int begin = 0; begin < C::block_n + in_line - 1; begin += 32) {
                const int col = begin + lane - over;
                if (row >= rows || col < 0 || col >= cols) continue;
                T x;
                read_shared(x, place(row, col));
                if (p.leaves_l2)
                    __stcs(to + col, p.alpha * x);
                else
                    to[col] = p.alpha * x;
            }
        }
}

// A tile of sums of f64 in shared memory, row by row.
template <class C>
struct staged_tile {
    using math = typename C::math;
    using numbering = typename math::numbering;
    std::uint32_t shared;

    [[nodiscard]] __device__ __forceinline__ std::uint32_t place(int row, int col) const {
        return shared + static_cast<std::uint32_t>(
                            (row * C::block_n + (col ^ numbering::swap(row))) * C::size);
    }
    // A lane's sums are constants away from four places.
    __device__ __forceinline__ void take(const typename math::accumulators& acc, int warp_row,
                                         int warp_col, int lane) const {
        const int row = warp_row + numbering::row(lane / 4);
        const int col = warp_col + numbering::col(lane % 4 * 2);
        std::uint32_t to[2][2];
#pragma unroll
        for (int second = 0; second < 2; ++second)
#pragma unroll
            for (int next = 0; next < 2; ++next)
                to[second][next] =
                    place(row, col + second * numbering::second_col + next * numbering::next_col);
#pragma unroll
        for (int i = 0; i < math::vectors; ++i) {
            const vector<double> x = math::take(acc, i);
            const int j = i / 2 % math::wide;
            const auto beyond = static_cast<std::uint32_t>(
                ((i / 2 / math::wide * 16 + i % 2 * numbering::second_row) * C::block_n +
                 j / 2 * 16) *
                C::size);
            if constexpr (numbering::next_col == 1) {
                write_shared(to[j % 2][0] + beyond, x.of[0], x.of[1]);
            } else {
                write_shared(to[j % 2][0] + beyond, x.of[0]);
                write_shared(to[j % 2][1] + beyond, x.of[1]);
            }
        }
    }
};

template <class C>
__device__ __forceinline__ void store_staged(const pipeline<C>& r, const arguments<double>& p,
                                             const owner& of,
                                             const typename C::math::accumulators& acc) {
    const staged_tile<C> tile{ptx::shared_address(r.tiles)};
    sync_consumers<C>();  // all have read their stages
    tile.take(acc, of.warp_row, of.warp_col, of.lane);
    sync_consumers<C>();
    store_rows<C>(p, of, ptx::thread_anew(),
                  [&](int row, int col) { return tile.place(row, col); });
}

}  // namespace carat::cuda::fma
