// A narrow tile's sums straight from registers to C, where nothing is added and nothing finished:
// the threads of a block don't meet, and each waits once, for all that other blocks send to its
// own. Of a thread's sums each of the blocks that share K owns as many, those that follow each
// other: the same threads of the others send it theirs, and it adds them up in the order of K.
// Where in C they go is worked out while the first steps of K are on their way, but for the largest
// tile.
//
//     block 1 of 4, thread t   sums        [ 0 .. | 1 .. | 2 .. | 3 .. ]
//                              from others [ 1 .. of 0 | 1 .. of 2 | 1 .. of 3 ]
//
// Of two registers a warp has 8 x 8 elements of C: written two at a time, or C being by columns,
// they are whole sectors of 32 bytes in f32.
#pragma once

#include "cuda/sm90/lines.cuh"

namespace carat::cuda::sm90 {

template <class Factor>
[[nodiscard]] __device__ __forceinline__ bool goes_straight(const arguments<Factor>& p) {
    return !p.adds && !p.finishes;
}

// Which of the blocks that share K, each with a rank of the cluster.
struct part_of_k {
    int part;
    int parts;
};

// How many bytes the other blocks send to this one.
template <class C>
__device__ __forceinline__ int sums_from_others(int parts) {
    return one_of(C::tile_m * C::tile_n * 4, parts) * (parts - 1);
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

// Where the sums go that a thread owns.
template <class C>
struct place_in_c {
    static constexpr int rows_apart = C::a_in_registers ? 4 : 8;  // those that a thread has

    std::int64_t first;  // address of its first one
    std::int64_t down;   // bytes from one of its rows to the other one
    std::int64_t right;  // bytes to the next column
    int rows;            // of C from there on
    int cols;
    int count;
    int factor;
    int is_half;   // elements of C are of 16 bits
    int in_pairs;  // two columns can be written at once

    place_in_c() = default;
    template <class Factor>
    __device__ __forceinline__ place_in_c(const arguments<Factor>& p, const member* product,
                                          int row, int col, const part_of_k& own, int thread) {
        const destination to = destination_of(p, product);
        const ptx::place place = place_of_sum<C::a_in_registers>(thread % 128, 0);
        count = one_of(C::tile_n / 2, own.parts);
        const int before = own.part * count;
        row += thread / 128 * 64 + place.row + before / 2 % 2 * rows_apart;
        col += place.column + before / 4 * 8 + before % 2;
        is_half = p.c.type == output::f16 || p.c.type == output::bf16 ? 1 : 0;
        const int bytes = is_half == 1 ? 2 : 4;
        first = known(reinterpret_cast<std::int64_t>(to.c) +
                      bytes * (to.first + row * to.row_stride + col * to.col_stride));
        down = known(rows_apart * bytes * to.row_stride);
        right = known(bytes * to.col_stride);
        rows = known(to.m - row);
        cols = known(to.n - col);
        in_pairs = known(p.c.in_fours && to.col_stride == 1 && to.n % 2 == 0 && count > 1 ? 1 : 0);
        is_half = known(is_half);
        int bits = 0;
        memcpy(&bits, &p.alpha, sizeof(bits));
        factor = known(bits);
    }

    template <class To, class Factor>
    [[nodiscard]] __device__ __forceinline__ To scaled(Factor sum) const {
        Factor alpha;
        memcpy(&alpha, &factor, sizeof(alpha));
        return static_cast<To>(times(alpha, sum));
    }
};

// Whether so many of a thread's sums can be all that it owns.
__device__ __forceinline__ constexpr bool may_be_all(int some, int all) {
    for (int parts = 2; parts <= most_parts; parts *= 2)
        if (some * parts == all) return true;
    return false;
}

template <class To, bool Pairs, class C, class Factor, int Count>
__device__ __forceinline__ void write_sums(const place_in_c<C>& to, const Factor (&sums)[Count]) {
    std::int64_t upper = to.first;
#pragma unroll
    for (int i = 0; i < Count; i += Pairs ? 2 : 1) {
        if (may_be_all(i, Count) && to.count <= i) return;
        const int column = i / 4 * 8 + i % 2;
        const int lower = i / 2 % 2;
        if (i > 0 && i % 4 == 0) upper += 8 * to.right;
        if (to.rows <= lower * place_in_c<C>::rows_apart || to.cols <= column) continue;
        const std::int64_t here = upper + lower * to.down + (i % 2) * to.right;
        if constexpr (Pairs)
            *reinterpret_cast<pair<To>*>(here) = {to.template scaled<To>(sums[i]),
                                                  to.template scaled<To>(sums[i + 1])};
        else
            *reinterpret_cast<To*>(here) = to.template scaled<To>(sums[i]);
    }
}

template <class To, class C, class Factor, int Count>
__device__ __forceinline__ void write_sums_as(const place_in_c<C>& to,
                                              const Factor (&sums)[Count]) {
    if (to.in_pairs == 1)
        write_sums<To, true>(to, sums);
    else
        write_sums<To, false>(to, sums);
}

template <class C, class Factor, int Count>
__device__ __forceinline__ void write_sums(const place_in_c<C>& to, const Factor (&sums)[Count]) {
    if constexpr (std::is_same_v<Factor, float> && C::finishes) {
        using half = std::conditional_t<writes<C, __half>, __half, __nv_bfloat16>;
        if (to.is_half == 1) return write_sums_as<half>(to, sums);
    }
    write_sums_as<Factor>(to, sums);
}

// Of so many parts of the sums the own one comes first: halves of halves.
template <int Parts, int Count, class Factor>
__device__ __forceinline__ void keep_own(Factor* sums, int part) {
    if constexpr (Parts > 1) {
        constexpr int half = Count / 2;
        const bool upper = (part & (Parts / 2)) != 0;
#pragma unroll
        for (int i = 0; i < half; ++i) sums[i] = upper ? sums[half + i] : sums[i];
        keep_own<Parts / 2, half>(sums, part);
    }
}

// Whether a thread's sums are in the same places of C, one beside the other, whichever part of them
// it owns: rows and columns repeat after four.
template <int Parts, int Count>
inline constexpr bool parts_are_alike = Count / Parts % 4 == 0 || 4 % (Count / Parts) == 0;

// Each other block gets what this one has of its own sums; of those that this one owns it adds up
// all parts of K, in their order, to the first ones here. Known numbers of parts and of sums leave
// next to nothing to branch for, and reads that don't wait for each other.
template <int Parts, class C, class Factor, int Count>
__device__ __forceinline__ void exchange(Factor (&sums)[Count], unsigned char* others,
                                         ptx::barrier& landed, int part, int thread) {
    constexpr int count = Count / Parts;
    static_assert(parts_are_alike<Parts, Count>);
    constexpr int at_once = count % 4 == 0 ? 4 : count % 2 == 0 ? 2 : 1;
    constexpr int bytes = C::multiplying * count * 4;  // that a block sends
    struct alignas(4 * at_once) words {
        Factor of[at_once];
    };
    const std::uint32_t slots = ptx::shared_address(others) + thread * at_once * 4;
    const std::uint32_t told = ptx::shared_address(&landed);
#pragma unroll
    for (int to = 0; to < Parts; ++to) {
        if (to == part) continue;
        const std::uint32_t slot =
            ptx::address_in(slots + (part - (part > to ? 1 : 0)) * bytes, to);
#pragma unroll
        for (int i = 0; i < count; i += at_once) {
            words some;
#pragma unroll
            for (int j = 0; j < at_once; ++j) some.of[j] = sums[to * count + i + j];
            ptx::send(slot + i * C::multiplying * 4, some.of, ptx::address_in(told, to));
        }
    }
    keep_own<Parts, Count>(sums, part);
    // These were the others'. Else they would stay in registers until the last sum is written.
#pragma unroll
    for (int i = count; i < Count; ++i) sums[i] = 0;
    ptx::wait_for(landed, 0);
    const auto add = [&](int slot, const auto& added) {
        const unsigned char* const there = others + thread * at_once * 4 + slot * bytes;
#pragma unroll
        for (int i = 0; i < count; i += at_once) {
            const auto some = *reinterpret_cast<const words*>(there + i * C::multiplying * 4);
#pragma unroll
            for (int j = 0; j < at_once; ++j) added(i + j, some.of[j]);
        }
    };
    if constexpr (Parts == 2) {  // in either order
        add(0, [&](int i, Factor sum) { sums[i] += sum; });
    } else {
        constexpr int total = count;  // from there on: there are no registers besides
#pragma unroll(count <= 8 ? Parts : 1)
        for (int from = 0; from < Parts; ++from)
            add(from - (from > 0 && from >= part ? 1 : 0), [&](int i, Factor sum) {
                const Factor of_part = from == part ? sums[i] : sum;
                sums[total + i] = from == 0 ? of_part : sums[total + i] + of_part;
            });
#pragma unroll
        for (int i = 0; i < count; ++i) sums[i] = sums[total + i];
    }
}

// By all threads that multiply, when a block has multiplied all of its part. `others` is where the
// other blocks write, and `landed` counts sums_from_others().
template <class C, class Factor, class Place, class Sum, int Count>
__device__ __forceinline__ void write_straight(const Place& place, unsigned char* others,
                                               ptx::barrier& landed, const part_of_k& own,
                                               int thread, const Sum (&made)[Count]) {
    Factor sums[Count];
#pragma unroll
    for (int i = 0; i < Count; ++i) sums[i] = static_cast<Factor>(made[i]);
    if (own.parts == 2) {
        exchange<2, C>(sums, others, landed, own.part, thread);
    } else if (own.parts == 4) {
        exchange<4, C>(sums, others, landed, own.part, thread);
    } else if (own.parts == 8) {
        if constexpr (parts_are_alike<8, Count>)
            exchange<8, C>(sums, others, landed, own.part, thread);
        else
            __trap();  // no plan has them: most_parts_beside()
    }
    write_sums<C>(place(), sums);
}

}  // namespace carat::cuda::sm90
