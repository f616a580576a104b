// An operand's way into shared memory, a stage at a time, as its runs lie:
//
//     along K     [ line 0: block_k | .. | line 1: block_k | .. ]      "..": padding
//     across K    [ k 0: lines      | .. | k 1: lines      | .. ]
//
// Copies go past the registers: of 16-bit elements 4 to 16 bytes, of others 16, in which runs may
// begin anywhere (phase.cuh); where runs of 16-bit elements begin between two words, they come by
// twos through registers, which are stored when the stage before has been multiplied. What is
// beyond the operand is 0.
#pragma once

#include "cuda/common/async_copy.cuh"
#include "cuda/common/async_part.cuh"
#include "cuda/families/mma/config.hpp"
#include "cuda/families/mma/phase.cuh"

namespace carat::cuda::mma {

// Loads `Lines` lines of an operand for a tile.
template <class C, lies Lies, int Lines>
class loader {
    using element = typename C::element;
    using tile = tile_in_shared<typename C::math, Lies, Lines>;
    static constexpr bool along_k = Lies == lies::along_k;
    // Where runs begin between 16 bytes.
    static constexpr bool by_twos = C::reads_anywhere && sizeof(element) == 2;
    static constexpr bool by_pieces = C::reads_anywhere && !by_twos;
    static constexpr int most = 16 / static_cast<int>(sizeof(element));
    static constexpr int pairs = by_twos ? Lines * C::block_k / 2 / C::threads : 1;  // of a thread

    // Its copies: of one run after the other, each at the same place along it.
    template <int Together>
    struct share {
        static constexpr int together = Together;
        static constexpr int of_run = (along_k ? C::block_k : Lines) / Together;
        static constexpr int runs = along_k ? Lines : C::block_k;
        static constexpr int runs_at_once = C::threads / of_run;
        static constexpr int count = runs / runs_at_once;
        static constexpr int stride_there = along_k ? tile::along_stride : tile::across_stride;
        static constexpr int next_there = runs_at_once * stride_there;
        static_assert(C::threads % of_run == 0 && runs % runs_at_once == 0);
    };

  public:
    __device__ __forceinline__ loader(const operand_view& of, std::int64_t product, int first,
                                      int lines, int first_k, int depth)
        : together_(of.together) {
        from_ = static_cast<const element*>(of.data) + product * of.product_stride +
                (along_k ? first * of.run_stride + first_k : first + first_k * of.run_stride);
        runs_ = along_k ? lines - first : depth;
        left_ = along_k ? depth : lines - first;
        depth_ = depth;
        inside_ = lines - first >= Lines;
        stride_bytes_ = static_cast<int>(of.run_stride) * static_cast<int>(sizeof(element));
        step_ = along_k ? C::block_k : C::block_k * static_cast<int>(of.run_stride);
        each([&]<int Together>() {
            using own = share<Together != 1 ? Together : by_twos ? 2 : most>;
            static_assert(!along_k || !tile::swizzled ||
                          (!C::reads_anywhere && own::runs_at_once % 8 == 0));
            const int run = static_cast<int>(threadIdx.x) / own::of_run;
            const int along = static_cast<int>(threadIdx.x) % own::of_run * own::together;
            if constexpr (!C::reads_anywhere) inside_ = inside_ || left_ % own::together == 0;
            if constexpr (by_pieces && Together == 1)
                begin_pieces(static_cast<int>(of.run_stride), run, along);
            const int own_run = along_k ? inside(run, runs_) : run;
            const int own_along = along_k || C::reads_anywhere ? along : inside(along, left_);
            from_ += own_run * static_cast<int>(of.run_stride) + own_along;
            there_ = run * own::stride_there + (along_k ? tile::place(run, along) : along);
            runs_ -= run;
            left_ -= along;
        });
    }

    // Starts copying a stage, and goes on to the next one.
    __device__ __forceinline__ void start(element* stage) {
        each([&]<int Together>() {
            constexpr int together = by_pieces && Together == 1 ? most : Together;
            if constexpr (by_twos && Together == 1)
                read_pairs();
            else if (depth_ >= C::block_k && (along_k || inside_))
                copy_within<together>(stage + there_);
            else
                copy<together>(stage + there_);
            if constexpr (by_pieces && Together == 1) copy_ends(stage);
            go_on();
        });
    }

    // The same of kernels that read nothing but 16 bytes at a time, copy by copy: of stages that
    // end within K, where lines are not beyond the operand or lie along K.
    static constexpr int copies = share<most>::count;
    [[nodiscard]] __device__ __forceinline__ bool copies_singly() const {
        return along_k || inside_;
    }
    __device__ __forceinline__ void start_one(element* stage, int number) const {
        using own = share<most>;
        copy_one_within<most>(stage + there_ + number * own::next_there, number);
    }
    __device__ __forceinline__ void go_on() {
        (along_k ? left_ : runs_) -= C::block_k;
        depth_ -= C::block_k;
        from_ += step_;
    }

    // What start() has read.
    __device__ __forceinline__ void finish(element* stage) const {
        if constexpr (by_twos) {
            if (together_ != 1) return;
            store_pairs(stage + there_);
        }
    }

  private:
    // Calls `f` for as many elements as are copied at once.
    template <class F>
    __device__ __forceinline__ void each(const F& f) const {
        if (!C::reads_anywhere || together_ == most) return f.template operator()<most>();
        if constexpr (by_twos) {
            if (together_ == 4) return f.template operator()<4>();
            if (together_ == 2) return f.template operator()<2>();
        }
        if constexpr (C::reads_anywhere) f.template operator()<1>();
    }

    // Its pieces begin where 16 bytes do, and each run has one more, whose first elements are its
    // last ones: of run t thread t copies it.
    __device__ __forceinline__ void begin_pieces(int stride, int run, int along) {
        using own = share<most>;
        static_assert(own::runs_at_once % most == 0 && own::runs <= C::threads);
        const auto phase = [&](int of_run) {
            const auto* first = from_ + of_run * stride;
            return static_cast<int>(reinterpret_cast<std::uintptr_t>(first) / sizeof(element) %
                                    most);
        };
        constexpr int length = own::of_run * most;
        const auto end = static_cast<int>(threadIdx.x);
        const int end_run = along_k ? min(end, runs_ - 1) : end;
        end_ = end < own::runs ? phase(end_run) : 0;
        end_offset_ = end_run * stride + length - end_;
        if (!along_k) end_ = min(max(left_ + end_ - length, 0), end_);
        const int own_run = along_k ? min(run, runs_ - 1) : run;
        const int before = phase(own_run);
        end_offset_ -= own_run * stride + along - before;
        from_ -= before;
        left_ += before;
    }
    __device__ __forceinline__ void copy_ends(element* stage) const {
        using own = share<most>;
        const auto run = static_cast<int>(threadIdx.x);
        if (run >= own::runs) return;
        const int there =
            along_k ? min(max(depth_ + end_ - C::block_k, 0), end_) : (run < depth_ ? end_ : 0);
        copy_part_async<16>(stage + run * own::stride_there + own::of_run * most,
                            from_ + end_offset_, there * static_cast<int>(sizeof(element)));
    }

    // Copies within K. In place of lines beyond the last one come others, and nobody stores their
    // sums: copies with predicates waited for each other, 60 cycles each. In large tiles they come
    // in turn, since where all CTAs read the last one again and again, L2 had a queue of 3 us a
    // stage. Small tiles have no time for the division.
    static __device__ __forceinline__ int inside(int line, int lines) {
        if constexpr (C::reads_anywhere) return min(line, lines - 1);
        return line < lines ? line : line % max(lines, 1);
    }
    template <int Together>
    __device__ __forceinline__ void copy_within(element* to) const {
        using own = share<Together>;
        constexpr int at_once = sizeof(element) == 8 ? 4 : 8;  // addresses in registers
#pragma unroll at_once
        for (int i = 0; i < own::count; ++i) copy_one_within<Together>(to + i * own::next_there, i);
    }
    template <int Together>
    __device__ __forceinline__ void copy_one_within(element* to, int number) const {
        using own = share<Together>;
        constexpr int size = Together * static_cast<int>(sizeof(element));
        int runs = runs_;
        // Offsets of all copies, kept from one stage to the next, would take all registers.
        if constexpr (by_twos) asm volatile("" : "+r"(runs));
        // A multiple, so that it begins between 16 bytes where the thread's other runs do.
        const int last = max(runs - 1, 0) / own::runs_at_once * own::runs_at_once;
        const int at = number * own::runs_at_once;
        const std::int64_t run = along_k ? min(at, last) : at;
        copy_part_async<size>(to, reinterpret_cast<const char*>(from_) + run * stride_bytes_, size);
    }

    template <int Together>
    __device__ __forceinline__ void copy(element* to) const {
        using own = share<Together>;
        constexpr int size = static_cast<int>(sizeof(element));
        const int there = min(max(left_, 0), Together) * size;
        const element* from = from_;
        const int next = own::runs_at_once * (stride_bytes_ / size);
#pragma unroll 4
        for (int i = 0; i < own::count; ++i, from += next)
            copy_part_async<Together * size>(to + i * own::next_there, from,
                                             i * own::runs_at_once < left_runs<own>() ? there : 0);
    }
    // How many runs are left from the thread's first one on; they need no register of their own
    // where the operand is known to lie across K.
    template <class Share>
    [[nodiscard]] __device__ __forceinline__ int left_runs() const {
        return along_k ? runs_ : depth_ - static_cast<int>(threadIdx.x) / Share::of_run;
    }

    __device__ __forceinline__ void read_pairs() {
        using own = share<2>;
        static_assert(own::count == pairs);
        const auto* from = reinterpret_cast<const unsigned short*>(from_);
#pragma unroll
        for (int i = 0; i < pairs; ++i, from += own::runs_at_once * (stride_bytes_ / 2)) {
            const bool inside = i * own::runs_at_once < left_runs<own>();
            const std::uint32_t low = inside && left_ > 0 ? __ldg(from) : 0;
            const std::uint32_t high = inside && left_ > 1 ? __ldg(from + 1) : 0;
            held_[i] = low | high << 16;
        }
    }
    __device__ __forceinline__ void store_pairs(element* to) const {
        using own = share<2>;
#pragma unroll
        for (int i = 0; i < pairs; ++i)
            *reinterpret_cast<std::uint32_t*>(to + i * own::next_there) = held_[i];
    }

    // The thread's own:
    const element* from_;
    int there_;    // in a stage
    int step_;     // from one stage to the next
    int runs_;     // left
    int left_;     // of each
    int depth_;    // of K left
    bool inside_;  // no copy across K holds lines of which only some are in the operand
    int stride_bytes_;
    int together_;
    std::uint32_t held_[by_twos ? pairs : 1];
    int end_;         // elements in a run's last piece, if K does not end before
    int end_offset_;  // of that, from from_
};

}  // namespace carat::cuda::mma
