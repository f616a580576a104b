// Staging tiles that TMA can't store, by threads: a warp takes its 16 rows of one to C, or loads
// what beta multiplies. Columns before `from` are left alone. Where rows or columns of C are
// contiguous, an instruction takes four rows of the tile or two columns; what it is to do must be
// little: at 100 instructions a row, bf16 of 4000 x 4000 with an odd row stride took 253 us on an
// H200 where TMA takes 186, and with some 6 of them 209 where that takes 200.
#pragma once

#include "cuda/common/async_copy.cuh"
#include "cuda/common/async_part.cuh"
#include "cuda/common/unaligned.cuh"
#include "cuda/families/wgmma/epilogue/staging.cuh"
#include "cuda/families/wgmma/epilogue/store_part.cuh"
#include "cuda/ptx/global.cuh"

namespace carat::cuda::wgmma {

template <class C, class To, class ElementCompute>
struct thread_store {
    static constexpr int in_word = 4 / static_cast<int>(sizeof(To));
    static constexpr int columns = 32 * in_word;
    static constexpr int rows = 16;
    static constexpr int some = C::is_native ? 4 : 2;  // words at once

    const arguments<ElementCompute>& p;
    unsigned char* tile;  // the warp's rows of it
    int row;              // of C, its first
    int col;              // of C, the tile's first
    int from;
    int lane;
    std::int64_t before_product;  // elements of C

    __device__ __forceinline__ thread_store(const arguments<ElementCompute>& with,
                                            unsigned char* staging, const output_tile& of,
                                            int from_column)
        : p(with),
          tile(staging + of.thread / 32 * rows * 128),
          row(of.row + of.thread / 32 * rows),
          col(of.col),
          from(from_column),
          lane(of.thread % 32),
          before_product(C::is_batched ? of.product * with.c.batch_stride : 0) {}

    // What the rows of the tile before this one ended with, within 16 bytes of memory, is stored
    // with this one's, so many bytes away; 0: there is none of the same rows.
    __device__ __forceinline__ void store(int to_before, bool is_last) const {
        To* const to = static_cast<To*>(p.c.data) + before_product + row * p.c.row_stride +
                       col * p.c.col_stride;
        const int there = min(columns, p.problem.n - col);
        const int bytes = there * static_cast<int>(sizeof(To));
        const int before = (from - col) * static_cast<int>(sizeof(To));
        if (bytes <= before) return;
        if (p.c.col_stride == 1 && (bytes - before >= 16 || to_before != 0))
            return store_rows(reinterpret_cast<std::uintptr_t>(to), to_before, before / 16, bytes,
                              is_last || col + columns >= p.problem.n);
        if (is_whole() && in_word == 1 && p.c.row_stride == 1) return store_columns(to);
        each_element([&](To& staged, std::int64_t at) { to[at] = staged; });
    }

    __device__ __forceinline__ void load_source() const {
        const void* const residual = p.epilogue.fusion.residual;
        const void* const data = residual != nullptr ? residual : p.c.data;
        const To* const source = static_cast<const To*>(data) + before_product +
                                 row * p.c.row_stride + col * p.c.col_stride;
        if (p.c.col_stride == 1) return load_rows(reinterpret_cast<std::uintptr_t>(source));
        each_element([&](To& staged, std::int64_t at) { staged = source[at]; });
    }

  private:
    [[nodiscard]] __device__ __forceinline__ bool is_whole() const {
        return from == col && col + columns <= p.problem.n;
    }
    [[nodiscard]] __device__ __forceinline__ std::uint32_t& word(int in_row, int at) const {
        const int chunk = ptx::swizzled_chunk(in_row, at / 4);
        return *reinterpret_cast<std::uint32_t*>(tile + chunk * 16 + at % 4 * 4);
    }

    [[nodiscard]] __device__ __forceinline__ uint4 chunk(const unsigned char* of, int in_row,
                                                         int at) const {
        return *reinterpret_cast<const uint4*>(of + ptx::swizzled_chunk(in_row, at) * 16);
    }
    // 16 bytes of a row, `over` before chunk `at` of it begins; with the row's of the tile before.
    [[nodiscard]] __device__ __forceinline__ uint4 shifted(int to_before, int in_row, int at,
                                                           unsigned over) const {
        const uint4 own = chunk(tile, in_row, at % 8);
        const uint4 low = chunk(tile + (at == 0 ? to_before : 0), in_row, (at + 7) % 8);
        return over == 0 ? own : between(low, own, 16 - over);
    }

    // Eight lanes have a row, each one 16 bytes that memory has in one piece. Those that the row
    // ends within wait for the tile after it.
    __device__ __forceinline__ void store_rows(std::uintptr_t to, int to_before, int first,
                                               int bytes, bool ends) const {
        const auto stride = static_cast<std::uintptr_t>(p.c.row_stride) * sizeof(To);
        const bool begins = to_before == 0;
        const int left = p.problem.m - row;
        const int at = lane % 8;
        std::uintptr_t place = to + lane / 8 * stride;
#pragma unroll
        for (int i = 0; i < rows; i += 4, place += 4 * stride) {
            const unsigned over = place % 16;
            const uint4 some_bytes = shifted(to_before, i + lane / 8, at, over);
            const bool whole = at > first || (at == first && (over == 0 || !begins));
            if (i + lane / 8 < left && whole && 16 * at + 16 <= bytes + static_cast<int>(over))
                ptx::store_global(place - over + 16 * at, some_bytes);
        }
        if (begins || ends) store_ends(to, to_before, first, bytes, ends, stride);
    }

    // What is left of 16 bytes where rows begin and end, in words and half words: of rows each the
    // first 16 lanes have beginnings, and the others ends.
    __device__ __forceinline__ void store_ends(std::uintptr_t to, int to_before, int first,
                                               int bytes, bool ends, std::uintptr_t stride) const {
        const int down = lane % rows;
        const bool is_end = lane >= rows;
        to += down * stride;
        const unsigned over = to % 16;
        const int at = is_end ? (bytes + static_cast<int>(over)) / 16 : first;
        const unsigned length = is_end ? (bytes + over) % 16 : (16 - over) % 16;
        const uint4 whole = shifted(to_before, down, at, over);
        if (row + down >= p.problem.m || !(is_end ? ends : to_before == 0)) return;
        to = to - over + 16 * at;
        store_part(to, whole, length, is_end, is_16_bits<To>);
    }

    // All rows are on their way at once, past the registers: a lane copies the aligned word at its
    // place, which holds half of what belongs there where a row of 16 bits begins between words.
    // Such rows are moved when they are there; of each, another lane has the element that is left.
    __device__ __forceinline__ void load_rows(std::uintptr_t from) const {
        const auto stride = static_cast<std::uintptr_t>(p.c.row_stride) * sizeof(To);
        const int bytes = min(columns, p.problem.n - col) * static_cast<int>(sizeof(To));
        const int last = min(rows, p.problem.m - row);
        std::uintptr_t place = from;
#pragma unroll 1
        for (int i = 0; i < last; ++i, place += stride) {
            const int over = static_cast<int>(place % 4);
            copy_part_async<4>(&word(i, lane),
                               reinterpret_cast<const void*>(place - over + 4 * lane),
                               max(0, min(4, bytes + over - 4 * lane)));
        }
        commit_copies();
        std::uint32_t left = 0;
        if (is_16_bits<To> && lane < last && bytes == 128)
            left = *reinterpret_cast<const std::uint16_t*>(from + lane * stride + 126);
        wait_for_copies<0>();
        if constexpr (is_16_bits<To>) {
#pragma unroll 1
            for (int i = 0; i < last; ++i) {
                if ((from + i * stride) % 4 == 0) continue;
                const std::uint32_t own = word(i, lane);
                const std::uint32_t next = __shfl_down_sync(0xffffffffu, own, 1);
                const std::uint32_t end = __shfl_sync(0xffffffffu, left, i);
                word(i, lane) = __funnelshift_r(own, lane == 31 ? end : next, 16);
            }
        }
    }

    // 16 lanes have a column.
    __device__ __forceinline__ void store_columns(To* to) const {
        const int down = lane % rows;
        to += down + lane / rows * p.c.col_stride;
        const bool there = row + down < p.problem.m;
#pragma unroll
        for (int first = 0; first < columns; first += 2 * some) {
            std::uint32_t mine[some];
#pragma unroll
            for (int i = 0; i < some; ++i) mine[i] = word(down, first + 2 * i + lane / rows);
#pragma unroll
            for (int i = 0; i < some; ++i, to += 2 * p.c.col_stride)
                if (there) ptx::store_global(reinterpret_cast<std::uintptr_t>(to), mine[i]);
        }
    }

    // Those that there are in C, and how far from its first they lie.
    template <class Visit>
    __device__ __forceinline__ void each_element(const Visit& visit) const {
        const int last = min(rows, p.problem.m - row);
#pragma unroll 1
        for (int i = 0; i < last; ++i)
#pragma unroll
            for (int j = 0; j < in_word; ++j) {
                const int at = lane * in_word + j;
                if (col + at >= from && col + at < p.problem.n)
                    visit(reinterpret_cast<To*>(&word(i, lane))[j],
                          i * p.c.row_stride + at * p.c.col_stride);
            }
    }
};

}  // namespace carat::cuda::wgmma
