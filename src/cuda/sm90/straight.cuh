// A narrow tile's sums straight from registers to C, where nothing is added and nothing finished:
// the threads of a block don't meet, and each waits once, for all that other blocks send to its
// own. A thread's sums are in eight shares, of which each of the blocks that share K owns as many:
// the same threads of the others send it theirs, and it adds them up in the order of K. Where in C
// they go is worked out while the first steps of K are on their way.
//
//     block 0 of 4, thread t   own shares  [ 0 1 | 2 3 | 4 5 | 6 7 ]
//                              from others [ 0 1 of 1 | 0 1 of 2 | 0 1 of 3 ]
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

constexpr int shares = most_parts;

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

// Where a thread's sums go.
template <class C>
struct place_in_c {
    static constexpr int rows_apart = C::a_in_registers ? 4 : 8;  // those that a thread has

    std::int64_t first;  // address of its first one
    std::int64_t down;   // bytes from one of its rows to the other one
    std::int64_t right;  // bytes to the next column
    int rows;            // of C from there on
    int cols;
    int factor;
    int is_half;   // elements of C are of 16 bits
    int in_pairs;  // two columns can be written at once

    template <class Factor>
    __device__ __forceinline__ place_in_c(const arguments<Factor>& p, const member* product,
                                          int row, int col, int thread) {
        const destination to = destination_of(p, product);
        const ptx::place own = place_of_sum<C::a_in_registers>(thread % 128, 0);
        row += thread / 128 * 64 + own.row;
        col += own.column;
        is_half = p.c.type == output::f16 || p.c.type == output::bf16 ? 1 : 0;
        const int bytes = is_half == 1 ? 2 : 4;
        first = known(reinterpret_cast<std::int64_t>(to.c) +
                      bytes * (to.first + row * to.row_stride + col * to.col_stride));
        down = known(rows_apart * bytes * to.row_stride);
        right = known(bytes * to.col_stride);
        rows = known(to.m - row);
        cols = known(to.n - col);
        in_pairs = known(p.c.in_fours && to.col_stride == 1 && to.n % 2 == 0 ? 1 : 0);
        is_half = known(is_half);
        int bits = 0;
        memcpy(&bits, &p.alpha, sizeof(bits));
        factor = known(bits);
    }

    template <class To, class Factor>
    [[nodiscard]] __device__ __forceinline__ To scaled(Factor sum) const {
        Factor alpha;
        memcpy(&alpha, &factor, sizeof(alpha));
        return static_cast<To>(alpha * sum);
    }
};

template <class To, bool Pairs, class C, class Factor, int Count>
__device__ __forceinline__ void write_sums(const place_in_c<C>& to, int first,
                                           const Factor (&sums)[Count]) {
#pragma unroll
    for (int i = 0; i < Count; i += Pairs ? 2 : 1) {
        const int column = (first + i) / 4 * 8 + (first + i) % 2;
        const int lower = (first + i) / 2 % 2;
        if (to.rows <= lower * place_in_c<C>::rows_apart || to.cols <= column) continue;
        const std::int64_t here = to.first + lower * to.down + column * to.right;
        if constexpr (Pairs)
            *reinterpret_cast<pair<To>*>(here) = {to.template scaled<To>(sums[i]),
                                                  to.template scaled<To>(sums[i + 1])};
        else
            *reinterpret_cast<To*>(here) = to.template scaled<To>(sums[i]);
    }
}

template <class To, class C, class Factor, int Count>
__device__ __forceinline__ void write_sums_as(const place_in_c<C>& to, int first,
                                              const Factor (&sums)[Count]) {
    if constexpr (Count % 2 == 0)
        if (to.in_pairs == 1) return write_sums<To, true>(to, first, sums);
    write_sums<To, false>(to, first, sums);
}

// Of a thread's sums those from `first` on.
template <class C, class Factor, int Count>
__device__ __forceinline__ void write_sums(const place_in_c<C>& to, int first,
                                           const Factor (&sums)[Count]) {
    if constexpr (std::is_same_v<Factor, float> && C::finishes) {
        using half = std::conditional_t<writes<C, __half>, __half, __nv_bfloat16>;
        if (to.is_half == 1) return write_sums_as<half>(to, first, sums);
    }
    write_sums_as<Factor>(to, first, sums);
}

// Each other block gets what this one has of its shares.
template <class C, class Factor, class Sum, int Count>
__device__ __forceinline__ void send_shares(unsigned char* others, ptx::barrier& landed,
                                            const part_of_k& those, int thread,
                                            const Sum (&sums)[Count]) {
    constexpr int of_share = Count / shares;
    constexpr int at_once = of_share % 4 == 0 ? 4 : of_share % 2 == 0 ? 2 : 1;
    constexpr int bytes = C::multiplying * of_share * 4;  // of a share
    const int log2_each = ptx::log2_of(shares) - ptx::log2_of(those.parts);
    const std::uint32_t own = ptx::shared_address(others) + thread * at_once * 4;
    const std::uint32_t told = ptx::shared_address(&landed);
#pragma unroll
    for (int share = 0; share < shares; ++share) {
        const int to = share >> log2_each;
        if (to == those.part) continue;
        const int place = those.part - (those.part > to ? 1 : 0);
        const int slot = (place << log2_each) + share - (to << log2_each);
        const std::uint32_t there = ptx::address_in(own + slot * bytes, to);
#pragma unroll
        for (int i = 0; i < of_share; i += at_once) {
            Factor some[at_once];
#pragma unroll
            for (int j = 0; j < at_once; ++j)
                some[j] = static_cast<Factor>(sums[share * of_share + i + j]);
            ptx::send(there + i * C::multiplying * 4, some, ptx::address_in(told, to));
        }
    }
}

// Of a share of this block, the sums of all parts of K, in their order. `from` is what the first of
// the other blocks sent of it, and theirs are so many bytes apart.
template <class C, class Factor, int Count>
__device__ __forceinline__ void add_up(Factor (&total)[Count], const Factor (&own)[Count],
                                       const unsigned char* from, int apart,
                                       const part_of_k& those) {
    constexpr int at_once = Count % 4 == 0 ? 4 : Count % 2 == 0 ? 2 : 1;
    struct alignas(4 * at_once) words {
        Factor of[at_once];
    };
#pragma unroll
    for (Factor& sum : total) sum = 0;
#pragma unroll 1
    for (int part = 0; part < those.parts; ++part) {
        if (part == those.part) {
#pragma unroll
            for (int i = 0; i < Count; ++i) total[i] += own[i];
            continue;
        }
#pragma unroll
        for (int i = 0; i < Count; i += at_once) {
            const auto some = *reinterpret_cast<const words*>(from + i * C::multiplying * 4);
#pragma unroll
            for (int j = 0; j < at_once; ++j) total[i + j] += some.of[j];
        }
        from += apart;
    }
}

// By all threads that multiply, when a block has multiplied all of its part. `others` is where the
// other blocks write, and `landed` counts sums_from_others().
template <class Factor, class C, class Sum, int Count>
__device__ __forceinline__ void write_straight(const place_in_c<C>& to, unsigned char* others,
                                               ptx::barrier& landed, const part_of_k& those,
                                               int thread, const Sum (&sums)[Count]) {
    static_assert(Count % shares == 0);
    constexpr int of_share = Count / shares;
    constexpr int at_once = of_share % 4 == 0 ? 4 : of_share % 2 == 0 ? 2 : 1;
    constexpr int bytes = C::multiplying * of_share * 4;  // of a share
    if (those.parts > 1) {
        send_shares<C, Factor>(others, landed, those, thread, sums);
        ptx::wait_for(landed, 0);
    }
    const int log2_each = ptx::log2_of(shares) - ptx::log2_of(those.parts);
    const int first = those.part << log2_each;
#pragma unroll
    for (int share = 0; share < shares; ++share) {
        if (share >> log2_each != those.part) continue;
        Factor own[of_share];
#pragma unroll
        for (int i = 0; i < of_share; ++i) own[i] = static_cast<Factor>(sums[share * of_share + i]);
        Factor total[of_share];
        add_up<C>(total, own, others + thread * at_once * 4 + (share - first) * bytes,
                  bytes << log2_each, those);
        write_sums(to, share * of_share, total);
    }
}

}  // namespace carat::cuda::sm90
