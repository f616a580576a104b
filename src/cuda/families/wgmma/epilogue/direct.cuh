// The direct epilogue of a single tile, from registers to C, where there is no source and nothing
// is fused: the threads of a CTA don't synchronise, and each waits once, for all that other CTAs
// send to its own. Each CTA that splits K owns an equal run of every thread's accumulators: the
// same threads of the others send it theirs through distributed shared memory, and it adds them up
// in the order of K. Their places in C are worked out while the first k-tiles are on their way,
// except for the largest tile.
//
//     CTA 1 of 4, thread t   accumulators [ 0 .. | 1 .. | 2 .. | 3 .. ]
//                            from others  [ 1 .. of 0 | 1 .. of 2 | 1 .. of 3 ]
//
// Two registers of each lane are 8 x 8 elements of C for a warp. Where C's lines begin at multiples
// of 16 bytes, lanes swap theirs and write 16 bytes at once (quad.cuh); else two at a time, or one
// at a time if C is column-major.
#pragma once

#include "cuda/families/wgmma/accumulator_layout.cuh"
#include "cuda/families/wgmma/epilogue/direct_fusion.cuh"
#include "cuda/families/wgmma/epilogue/elements.cuh"
#include "cuda/families/wgmma/epilogue/fusion.cuh"
#include "cuda/families/wgmma/epilogue/quad.cuh"
#include "cuda/families/wgmma/epilogue/split_k.cuh"

namespace carat::cuda::wgmma {

template <class ElementCompute>
[[nodiscard]] __device__ __forceinline__ bool is_direct(const arguments<ElementCompute>& p) {
    return p.c.path <= store_path::fused_from_registers;
}

// How many bytes the other CTAs send to this one.
template <class C>
__device__ __forceinline__ int direct_bytes_from_others(int split_k) {
    return one_of(C::block_m * C::block_n * 4, split_k) * (split_k - 1);
}

// Said to be another one, so that it is there: ptxas leaves what it can work out itself until it
// needs it, and would begin with that when the sums are there.
__device__ __forceinline__ int known(int x) {
    return __shfl_sync(0xffffffffu, x, static_cast<int>(threadIdx.x) % 32);
}
__device__ __forceinline__ std::int64_t known(std::int64_t x) {
    const auto lower = static_cast<std::uint32_t>(known(static_cast<int>(x)));
    return static_cast<std::int64_t>(known(static_cast<int>(x >> 32))) << 32 | lower;
}

// What a lane writes at once.
enum class direct_store : int { one, pair, quad, quad_of_column };

// A thread's accumulators, in two rows, that give each lane of its quad 16 bytes.
__device__ __forceinline__ constexpr int accumulators_of_quad(int bytes) {
    return bytes == 2 ? 16 : 8;
}

// Where the accumulators go that a thread owns.
template <class C>
struct direct_output {
    static constexpr int rows_apart = C::a_from_registers ? 4 : 8;  // those that a thread has

    std::int64_t first;  // address of its first one
    std::int64_t down;   // bytes from one of its rows to the other one
    std::int64_t right;  // bytes to the next column
    int rows;            // of C from there on
    int cols;
    int count;
    int factor;  // of sums, and what is added to them then
    float addend = 0;
    int is_half;  // elements of C are of 16 bits
    int store;    // direct_store

    direct_output() = default;
    template <class ElementCompute>
    __device__ __forceinline__ direct_output(const arguments<ElementCompute>& p,
                                             const single_tile& tile) {
        const output_view to = output_of(p, tile.member);
        const int thread = tile.thread;
        const ptx::place place = accumulator_place<C::a_from_registers>(thread % 128, 0);
        count = one_of(C::block_n / 2, tile.own.split_k);
        const int before = tile.own.split * count;
        const int row = tile.row + (thread / 128 * 64 + place.row + before / 2 % 2 * rows_apart);
        const int col = tile.col + (place.column + before / 4 * 8 + before % 2);
        is_half = p.c.type == output_type::f16 || p.c.type == output_type::bf16 ? 1 : 0;
        const int bytes = is_half == 1 ? 2 : 4;
        first = known(reinterpret_cast<std::int64_t>(to.c) +
                      bytes * (to.first + row * to.row_stride + col * to.col_stride));
        down = known(rows_apart * bytes * to.row_stride);
        right = known(bytes * to.col_stride);
        rows = known(to.m - row);
        cols = known(to.n - col);
        store = known(static_cast<int>(store_of(p.c.is_vectorized, to, bytes)));
        is_half = known(is_half);
        int bits = 0;
        memcpy(&bits, &p.epilogue.alpha, sizeof(bits));
        factor = known(bits);
    }

    template <class To, class ElementCompute>
    [[nodiscard]] __device__ __forceinline__ To scaled(ElementCompute sum) const {
        ElementCompute alpha;
        memcpy(&alpha, &factor, sizeof(alpha));
        if constexpr (std::is_same_v<ElementCompute, float>)
            return static_cast<To>(fmaf(alpha, sum, addend));
        else
            return static_cast<To>(times(alpha, sum));
    }
    // The sums are what C will be: not even the sign of a zero changes.
    template <class ElementCompute>
    __device__ __forceinline__ void take_as_they_are() {
        const ElementCompute one{1};
        memcpy(&factor, &one, sizeof(factor));
        addend = unchanged;
    }

  private:
    // Whether lines that are so far apart and so long consist of 16 bytes each, at C's address.
    [[nodiscard]] __device__ __forceinline__ static bool is_in_quads(const output_view& to,
                                                                     std::int64_t apart, int length,
                                                                     int bytes) {
        const auto address = reinterpret_cast<std::int64_t>(to.c) + bytes * to.first;
        return ((address | bytes * apart | std::int64_t{bytes} * length) & 15) == 0;
    }
    [[nodiscard]] __device__ __forceinline__ direct_store store_of(bool is_vectorized,
                                                                   const output_view& to,
                                                                   int bytes) const {
        if (to.col_stride == 1) {
            if (count % accumulators_of_quad(bytes) == 0 &&
                is_in_quads(to, to.row_stride, to.n, bytes))
                return direct_store::quad;
            if (is_vectorized && to.n % 2 == 0 && count > 1) return direct_store::pair;
        } else if (to.row_stride == 1 && bytes == 2 && count % 8 == 0 &&
                   is_in_quads(to, to.col_stride, to.m, bytes)) {
            return direct_store::quad_of_column;
        }
        return direct_store::one;
    }
};

template <class To, bool Pairs, class C, class ElementCompute, int Count>
__device__ __forceinline__ void store_direct(const direct_output<C>& to,
                                             const ElementCompute (&sums)[Count]) {
    std::int64_t upper = to.first;
#pragma unroll
    for (int i = 0; i < Count; i += Pairs ? 2 : 1) {
        if (may_be_all(i, Count) && to.count <= i) return;
        const int column = i / 4 * 8 + i % 2;
        const int lower = i / 2 % 2;
        if (i > 0 && i % 4 == 0) upper += 8 * to.right;
        if (to.rows <= lower * direct_output<C>::rows_apart || to.cols <= column) continue;
        const std::int64_t here = upper + lower * to.down + (i % 2) * to.right;
        if constexpr (Pairs)
            *reinterpret_cast<pair<To>*>(here) = {to.template scaled<To>(sums[i]),
                                                  to.template scaled<To>(sums[i + 1])};
        else
            *reinterpret_cast<To*>(here) = to.template scaled<To>(sums[i]);
    }
}

// Two accumulators beside each other as a word, or as two.
template <class To, class C, class ElementCompute>
__device__ __forceinline__ void put_pair(const direct_output<C>& to, const ElementCompute* sums,
                                         std::uint32_t* words) {
    const pair<To> both = {to.template scaled<To>(sums[0]), to.template scaled<To>(sums[1])};
    memcpy(words, &both, sizeof(both));
}

// Rows are contiguous: each lane of a quad gets one of four groups of 8 columns, or in f32 half of
// one of two.
template <class To, class C, class ElementCompute, int Count>
__device__ __forceinline__ void store_quads(const direct_output<C>& to,
                                            const ElementCompute (&sums)[Count]) {
    constexpr int bytes = sizeof(To);
    constexpr int at_once = accumulators_of_quad(bytes);
    constexpr int columns = at_once * 2;
    constexpr int words = bytes / 2;  // of a pair
    const int lane = static_cast<int>(threadIdx.x) % 4;
    const int right = (bytes == 2 ? 8 * lane : lane % 2 * 8 + lane / 2 * 4) - 2 * lane;
#pragma unroll
    for (int i = 0; i + at_once <= Count; i += at_once) {
        if (may_be_all(i, Count) && to.count <= i) return;
        const int column = right + i / at_once * columns;
#pragma unroll
        for (int lower = 0; lower < 2; ++lower) {
            quad_words some;
#pragma unroll
            for (int j = 0; j < at_once / 4; ++j)
                put_pair<To>(to, sums + i + 4 * j + 2 * lower, some.of + words * j);
            some = bytes == 2 ? transposed(some, lane) : swap_pairs(some, lane);
            if (to.rows > lower * direct_output<C>::rows_apart && to.cols > column)
                *reinterpret_cast<quad_words*>(to.first + lower * to.down + bytes * column) = some;
        }
    }
}

// Columns are contiguous: each lane gets 8 rows of a column, from two groups of 8 columns and 16
// rows.
template <class To, class C, class ElementCompute, int Count>
__device__ __forceinline__ void store_quads_of_columns(const direct_output<C>& to,
                                                       const ElementCompute (&sums)[Count]) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int quad = lane / 4;
    const int down = lane % 2 * 8 - quad;
    const int right = quad + lane / 2 % 2 * 8 - lane % 4 * 2;
#pragma unroll
    for (int i = 0; i + 8 <= Count; i += 8) {
        if (may_be_all(i, Count) && to.count <= i) return;
        quad_words some;
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            put_pair<To>(to, sums + i + 2 * j, some.of + j);
            some.of[j] = turned(some.of[j]);
        }
        some = transposed(some, lane % 4);
        const int column = right + i * 2;
        if (to.rows > down && to.cols > column)
            *reinterpret_cast<quad_words*>(to.first + column * to.right + down * 2) = some;
    }
}

template <class To, class C, class ElementCompute, int Count>
__device__ __forceinline__ void store_direct_as(const direct_output<C>& to,
                                                const ElementCompute (&sums)[Count]) {
    if (to.store == static_cast<int>(direct_store::quad)) return store_quads<To>(to, sums);
    if constexpr (is_16_bits<To>)
        if (to.store == static_cast<int>(direct_store::quad_of_column))
            return store_quads_of_columns<To>(to, sums);
    if (to.store == static_cast<int>(direct_store::pair))
        store_direct<To, true>(to, sums);
    else
        store_direct<To, false>(to, sums);
}

template <class C, class ElementCompute, int Count>
__device__ __forceinline__ void store_direct(const direct_output<C>& to,
                                             const ElementCompute (&sums)[Count]) {
    if constexpr (std::is_same_v<ElementCompute, float> && C::has_epilogue) {
        using half = std::conditional_t<writes<C, __half>, __half, __nv_bfloat16>;
        if (to.is_half == 1) return store_direct_as<half>(to, sums);
    }
    store_direct_as<ElementCompute>(to, sums);
}

// Moves the CTA's own of `Parts` parts of the accumulators to the front, by halves of halves.
template <int Parts, int Count, class ElementCompute>
__device__ __forceinline__ void keep_own(ElementCompute* sums, int part) {
    if constexpr (Parts > 1) {
        constexpr int half = Count / 2;
        const bool upper = (part & (Parts / 2)) != 0;
#pragma unroll
        for (int i = 0; i < half; ++i) sums[i] = upper ? sums[half + i] : sums[i];
        keep_own<Parts / 2, half>(sums, part);
    }
}

// Whether a thread's accumulators have the same places in C relative to each other, whichever part
// of them it owns: rows and columns repeat after four.
template <int Parts, int Count>
inline constexpr bool parts_repeat = Count / Parts % 4 == 0 || 4 % (Count / Parts) == 0;

// Sends each other CTA the partial sums that it owns, and adds up all splits of K of those that
// this CTA owns, in their order, into the first ones here. Splits and accumulators are counted at
// compile time: there is next to nothing to branch for, and reads don't wait for each other.
template <int Parts, class C, class ElementCompute, int Count>
__device__ __forceinline__ void reduce_direct(ElementCompute (&sums)[Count],
                                              const reduction_smem& smem, int part, int thread) {
    constexpr int count = Count / Parts;
    static_assert(parts_repeat<Parts, Count>);
    constexpr int at_once = count % 4 == 0 ? 4 : count % 2 == 0 ? 2 : 1;
    constexpr int bytes = C::consumer_threads * count * 4;  // that a CTA sends
    struct alignas(4 * at_once) words {
        ElementCompute of[at_once];
    };
    const std::uint32_t slots = ptx::shared_address(smem.others) + thread * at_once * 4;
    const std::uint32_t told = ptx::shared_address(&smem.arrived);
#pragma unroll
    for (int to = 0; to < Parts; ++to) {
        if (to == part) continue;
        const int rank = rank_of_split(to, part, Parts);
        const std::uint32_t slot =
            ptx::map_shared_rank(slots + (part - (part > to ? 1 : 0)) * bytes, rank);
#pragma unroll
        for (int i = 0; i < count; i += at_once) {
            words some;
#pragma unroll
            for (int j = 0; j < at_once; ++j) some.of[j] = sums[to * count + i + j];
            ptx::store_async(slot + i * C::consumer_threads * 4, some.of,
                             ptx::map_shared_rank(told, rank));
        }
    }
    keep_own<Parts, Count>(sums, part);
    // These were the others'. Else they would stay in registers until the last one is stored.
#pragma unroll
    for (int i = count; i < Count; ++i) sums[i] = 0;
    ptx::wait_for(smem.arrived, 0);
    const auto add = [&](int slot, const auto& added) {
        const unsigned char* const there = smem.others + thread * at_once * 4 + slot * bytes;
#pragma unroll
        for (int i = 0; i < count; i += at_once) {
            const auto some = *reinterpret_cast<const words*>(there + i * C::consumer_threads * 4);
#pragma unroll
            for (int j = 0; j < at_once; ++j) added(i + j, some.of[j]);
        }
    };
    if constexpr (Parts == 2) {  // in either order
        add(0, [&](int i, ElementCompute sum) { sums[i] += sum; });
    } else {
        constexpr int total = count;  // from there on: there are no registers besides
#pragma unroll(count <= 8 ? Parts : 1)
        for (int from = 0; from < Parts; ++from)
            add(from - (from > 0 && from >= part ? 1 : 0), [&](int i, ElementCompute sum) {
                const ElementCompute of_part = from == part ? sums[i] : sum;
                sums[total + i] = from == 0 ? of_part : sums[total + i] + of_part;
            });
#pragma unroll
        for (int i = 0; i < count; ++i) sums[i] = sums[total + i];
    }
}

// All consumers call it when their CTA has multiplied all of its split. `arrived` counts
// direct_bytes_from_others(). What is fused, `finish` does to the sums.
template <class C, class ElementCompute, class Output, class Finish, class Sum, int Count>
__device__ __forceinline__ void run_direct_epilogue(const Output& output,
                                                    const reduction_smem& smem,
                                                    const split_of_k& own, int thread,
                                                    bool is_fused, const Finish& finish,
                                                    const Sum (&acc)[Count]) {
    ElementCompute sums[Count];
#pragma unroll
    for (int i = 0; i < Count; ++i) sums[i] = static_cast<ElementCompute>(acc[i]);
    if (own.split_k == 2) {
        reduce_direct<2, C>(sums, smem, own.split, thread);
    } else if (own.split_k == 4) {
        reduce_direct<4, C>(sums, smem, own.split, thread);
    } else if (own.split_k == 8) {
        if constexpr (parts_repeat<8, Count>)
            reduce_direct<8, C>(sums, smem, own.split, thread);
        else
            __trap();  // no plan has them
    }
    if (__builtin_expect(is_fused, 0)) finish(sums);
    direct_output<C> to = output();
    if (is_fused) to.template take_as_they_are<ElementCompute>();
    store_direct<C>(to, sums);
}

}  // namespace carat::cuda::wgmma
