// Operands of f32 that lie in any way. TMA begins at multiples of 16 bytes only, and lanes read
// vectors of four rows or columns. So a block of K arrives as it lies, begun up to three elements
// early, and the warps that turn it copy it a k-tile at a time into the order that lanes read:
//
//     TMA        [ raw block 0 ][ raw block 1 ]           lines along K or across it
//     turners      [ k-tile 0 | k-tile 1 | ... ]          k, then rows or columns
//     consumers      ...
//
// Where lines run along K, a lane reads an element of four lines and writes a vector: it finds them
// in the four quarters of the block (operand_maps), whose lines of 36 elements lie in different
// banks.
#pragma once

#include "cuda/families/fma/arguments.hpp"
#include "cuda/families/fma/pipeline.cuh"
#include "cuda/families/fma/vector.cuh"
#include "cuda/families/fma/walk.cuh"
#include "cuda/ptx/barrier.cuh"
#include "cuda/ptx/tma.cuh"

namespace carat::cuda::fma {

template <class C>
struct raw_barriers {
    ptx::barrier full[C::raw_stages];
    ptx::barrier empty[C::raw_stages];

    __device__ __forceinline__ void begin() {
        ptx::init_barriers(full, 1);
        ptx::init_barriers(empty, C::turners);
    }
};

// An operand's tiles, `Tile` lines of the product wide.
template <class C, int Tile>
struct turned {
    static constexpr int bytes_of_one = sizeof(float);
    static constexpr int along = C::raw_k + C::extra;  // a line along K
    static constexpr int across = Tile + C::extra;     // one across it
    const operand_maps& of;

    [[nodiscard]] __device__ __forceinline__ int quarter() const {
        return of.along_k ? Tile / 4 * along : C::raw_k / 4 * across;
    }
    // That arrive to be turned.
    [[nodiscard]] __device__ __forceinline__ int bytes() const {
        return of.is_ready ? 0 : 4 * quarter() * bytes_of_one;
    }

    // Starts bringing the block from (first, k) on. A quarter without any line arrives as zeros.
    __device__ __forceinline__ void bring(unsigned char* to, int first, int k, int matrix,
                                          ptx::barrier& full) const {
        if (of.is_ready) return;
        const int x = of.along_k ? k : first;
        const int y = (of.along_k ? first : k) / 4;
#pragma unroll 1
        for (int i = 0; i < 4; ++i)
            ptx::tma_load(to + i * quarter() * bytes_of_one, of.of[i], x,
                          i < of.lines ? y : of.lines, matrix, full);
    }
    // The same of a k-tile that need not be turned.
    __device__ __forceinline__ void bring_ready(unsigned char* to, int first, int k, int matrix,
                                                ptx::barrier& full) const {
        ptx::arrive_and_expect_tx(full, Tile * C::block_k * bytes_of_one);
        ptx::tma_load(to, of.of[0], first, k, matrix, full);
    }

    // Copies k-tile `number` of the block.
    __device__ __forceinline__ void turn(std::uint32_t to, std::uint32_t raw, int number, int warp,
                                         int lane) const {
        if (of.is_ready) return;
        if (of.along_k)
            turn_along(to, raw + number * C::block_k * bytes_of_one, warp, lane);
        else
            copy_across(to, raw + number * (C::block_k / 4) * across * bytes_of_one, warp, lane);
    }

  private:
    static constexpr int deep = C::block_k / 4;

    // A warp writes 4 k of 32 lines at a time, and the warps take such pieces in turn, along K
    // first.
    __device__ __forceinline__ void turn_along(std::uint32_t to, std::uint32_t raw, int warp,
                                               int lane) const {
        constexpr int pieces = Tile / 32 * deep;
        static_assert(C::turners % deep == 0);
        const int k = warp % deep * 4 + lane / 8;
        const int first = warp / deep * 8 + lane % 8;
#pragma unroll
        for (int piece = 0; piece < pieces; piece += C::turners) {
            if (pieces % C::turners != 0 && piece + warp >= pieces) return;
            const int four = first + piece / deep * 8;
            float x[4];
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                const int line = i * (Tile / 4) + four;
                read_shared(x[i], raw + (line * along + k + of.ahead[i]) * bytes_of_one);
            }
            write_shared(to + (k * Tile + four * 4) * bytes_of_one, x);
        }
    }

    // A warp copies a line.
    __device__ __forceinline__ void copy_across(std::uint32_t to, std::uint32_t raw, int warp,
                                                int lane) const {
        static_assert(C::turners <= 4);
#pragma unroll
        for (int k = 0; k < C::block_k; k += C::turners) {
            const int quarter = k % 4 + warp;
            const int line = quarter * (C::raw_k / 4) + k / 4;
            const std::uint32_t from =
                raw + (line * across + of.ahead[quarter] + lane) * bytes_of_one;
            float x[Tile / 32];
#pragma unroll
            for (int i = 0; i < Tile / 32; ++i) read_shared(x[i], from + i * 32 * bytes_of_one);
#pragma unroll
            for (int i = 0; i < Tile / 32; ++i)
                write_shared(to + ((k + warp) * Tile + i * 32 + lane) * bytes_of_one, x[i]);
        }
    }
};

// The warps that turn a CTA's tiles. One thread of theirs starts the next block's arrival before
// they turn one.
template <class C>
struct turner {
    static constexpr int steps = C::raw_k / C::block_k;
    const pipeline<C>& r;
    raw_barriers<C>& barriers;
    turned<C, C::block_m> a;
    turned<C, C::block_n> b;
    walk<C, float, steps> next;
    int warp = __shfl_sync(0xffffffffu, static_cast<int>(threadIdx.x) / 32, 0) - C::warps;
    int lane = static_cast<int>(threadIdx.x) % 32;
    int block = 0;
    pipeline_state<C::stages> to = {};

    __device__ __forceinline__ turner(const pipeline<C>& tiles, raw_barriers<C>& of,
                                      const arguments<float>& p, const operand_maps& maps_a,
                                      const operand_maps& maps_b)
        : r(tiles), barriers(of), a{maps_a}, b{maps_b}, next(p) {}

    __device__ __forceinline__ void run() {
        bring(0);
#pragma unroll 1
        for (bool is_last = next.done(); !is_last; ++block) {
            const int count = min(steps, next.end - next.k);
            const block_place place = {next.row, next.col, next.k, next.product};
            next.advance();
            is_last = next.done();
            if (!is_last) bring(block + 1);
            __syncwarp();
            ptx::wait_for(barriers.full[stage_of(block)], parity_of(block));
            turn_block(place, count);
            if (lane == 0) ptx::arrive(barriers.empty[stage_of(block)]);
        }
    }

  private:
    struct block_place {
        int row;
        int col;
        int k;  // k-tiles
        int product;
    };
    static_assert(C::raw_stages == 2);
    static __device__ __forceinline__ int stage_of(int number) {
        return number % 2;
    }
    static __device__ __forceinline__ int parity_of(int number) {
        return number / 2 % 2;
    }
    [[nodiscard]] __device__ __forceinline__ unsigned char* raw(int number) const {
        return r.tiles + C::tiles_bytes + stage_of(number) * C::raw_stage_bytes;
    }

    __device__ __forceinline__ void bring(int number) {
        if (warp != 0 || lane != 0) return;
        const arguments<float>& p = next.p;
        ptx::barrier& full = barriers.full[stage_of(number)];
        unsigned char* const to_raw = raw(number);
        const int k = next.k * C::block_k;
        ptx::wait_for(barriers.empty[stage_of(number)], parity_of(number) ^ 1);
        ptx::arrive_and_expect_tx(full, a.bytes() + b.bytes());
        a.bring(to_raw, next.row, k, p.one_a ? 0 : next.product, full);
        b.bring(to_raw + C::raw_a_bytes, next.col, k, p.one_b ? 0 : next.product, full);
    }

    // Starts bringing what is ready for the consumers.
    __device__ __forceinline__ void bring_ready(const block_place& at, int number) {
        if (warp != 0 || lane != 0) return;
        const arguments<float>& p = next.p;
        const int k = (at.k + number) * C::block_k;
        unsigned char* const tile = r.a(to.stage);
        ptx::barrier& full = r.full[to.stage];
        if (a.of.is_ready) a.bring_ready(tile, at.row, k, p.one_a ? 0 : at.product, full);
        if (b.of.is_ready)
            b.bring_ready(tile + C::a_bytes, at.col, k, p.one_b ? 0 : at.product, full);
    }

    __device__ __forceinline__ void turn_block(const block_place& place, int count) {
        const std::uint32_t from = ptx::shared_address(raw(block));
#pragma unroll 1
        for (int i = 0; i < count; ++i) {
            const std::uint32_t tile = ptx::shared_address(r.a(to.stage));
            ptx::wait_for(r.empty[to.stage], to.parity ^ 1);
            bring_ready(place, i);
            a.turn(tile, from, i, warp, lane);
            b.turn(tile + C::a_bytes, from + C::raw_a_bytes, i, warp, lane);
            __syncwarp();
            if (lane == 0) ptx::arrive(r.full[to.stage]);
            to.advance();
        }
    }
};

}  // namespace carat::cuda::fma
