// The persistent epilogue's ways from a warpgroup's accumulators through staging tiles to C: by
// TMA, where the rows of C are aligned, or else by the threads.
#pragma once

#include <type_traits>

#include "cuda/ptx/proxy.cuh"
#include "cuda/ptx/thread.cuh"
#include "cuda/sm90/epilogue/register_fusion.cuh"
#include "cuda/sm90/epilogue/staging.cuh"
#include "cuda/sm90/epilogue/thread_store.cuh"

namespace carat::cuda::sm90 {

// Accumulators from column `first` on, times alpha.
template <class C, class To, class ElementCompute, class Sum, int Count>
__device__ __forceinline__ void fill_staging_scaled(unsigned char* tile, ElementCompute alpha,
                                                    int first, int thread,
                                                    const Sum (&acc)[Count]) {
    fill_staging<C, To>(tile, thread, [&](int i) {
        return times(alpha, static_cast<ElementCompute>(acc[first / 2 + i]));
    });
}

// Accumulators times alpha, by TMA: one staging tile after the other; the first thread of those
// that store together starts the stores and sees that a tile has been read before it is filled
// again.
template <class C, class To, class ElementCompute, class Sum, int Parts, int Count>
__device__ __forceinline__ void store_scaled(staging_tiles<C>& staging,
                                             const arguments<ElementCompute>& p,
                                             const output_tile& out,
                                             const Sum (&acc)[Parts][Count]) {
#pragma unroll
    for (int number = 0; number < Parts * staging_tiles_of<To>(2 * Count); ++number) {
        const int first = first_column_of<To>(number / Parts, 2 * Count);
        if (staging.leads) ptx::tma_store_wait<1>();
        unsigned char* const tile = staging.next();
        staging.sync();
        fill_staging_scaled<C, To>(tile, p.epilogue.alpha, first, out.thread, acc[number % Parts]);
        ptx::fence_proxy_async_shared();
        staging.sync();
        if (staging.leads) staging.store(tile, out, number % Parts * 64, out.col + first);
    }
}

// What beta multiplies has arrived in tile `number` of the columns from `col` on before it is
// looked at; the tile after the next is loaded when this one has been stored, into the same place.
// Of an odd number of staging tiles, 192 columns of 16 bits or 160 of 32, the next tile's of C
// begin with the other one.
template <class C, class To>
__device__ __forceinline__ void load_source(const staging_tiles<C>& staging, int later, int number,
                                            int row, int col, int product, int width = C::block_n) {
    constexpr int columns = staging_columns<To>;
    constexpr int parts = C::is_pingpong ? 2 : 1;
    if (number / parts * columns >= width) return;
    staging.load_source(later, row + number % parts * 64, col + number / parts * columns, product);
}

// Before the first accumulators are there.
template <class C>
__device__ __forceinline__ void load_first_source(const staging_tiles<C>& staging, output_type type,
                                                  int row, int col, int product) {
    if (!staging.leads) return;
    ptx::tma_store_wait<0>();
    for (const int number : {0, 1})
        if (type == output_type::f16 || type == output_type::bf16)
            load_source<C, __half>(staging, number, number, row, col, product);
        else
            load_source<C, float>(staging, number, number, row, col, product);
}

// beta times what has arrived in a staging tile.
template <class C, class To, class ElementCompute, int Count>
__device__ __forceinline__ void add_source(ElementCompute (&some)[Count], unsigned char* tile,
                                           ElementCompute beta, int thread) {
#pragma unroll
    for (int i = 0; i < Count; i += 2) {
        const pair<To> source = staged_pair<C, To>(tile, thread, i);
        some[i] += beta * static_cast<ElementCompute>(source.first);
        some[i + 1] += beta * static_cast<ElementCompute>(source.second);
    }
}

// The values of a staging tile after their activation, and with what is added to them.
template <class C, class To, int Count>
__device__ __forceinline__ void fill_staging_activated(unsigned char* tile,
                                                       const epilogue_arguments<float>& with,
                                                       int thread, float (&some)[Count]) {
    const activation function = with.fusion.activation_function;
    // Beside promoted accumulators there are no registers for it.
    if (C::is_native && !with.has_source && is_sigmoid_form(function)) {
        // In one stretch of code: what goes into the tile fills the gaps between exponentials.
        const sigmoid_form<float> form(function);
        fill_staging<C, To>(tile, thread, [&](int i) { return form(some[i]); });
        return;
    }
    activate(function, some);
    if (with.has_source) add_source<C, To>(some, tile, with.beta, thread);
    fill_staging<C, To>(tile, thread, [&](int i) { return some[i]; });
}

// A staging tile that is filled goes to C, and what beta multiplies in the tile after the next
// comes into its place.
template <class C, class To, int Parts, class ElementCompute>
__device__ __forceinline__ void store_and_reload(const staging_tiles<C>& staging,
                                                 const arguments<ElementCompute>& p,
                                                 const output_tile& out, const unsigned char* tile,
                                                 int number, int first, int width) {
    ptx::fence_proxy_async_shared();
    if (!p.epilogue.has_source && staging.leads) ptx::tma_store_wait<0>();
    staging.sync();
    if (!staging.leads) return;
    staging.store(tile, out, number % Parts * 64, first);
    if (p.epilogue.has_source) {
        ptx::tma_store_wait<0>();
        load_source<C, To>(staging, 1, number + 2, out.row, out.col, out.product, width);
    }
}

// Columns that the staging tiles of a warpgroup take, in `Parts` of 64 rows, of which GLU leaves
// half.
template <class To, int Parts, int Width>
struct staging_order {
    static constexpr int columns = staging_columns<To>;
    static constexpr bool is_whole = Width % columns == 0;
    static constexpr int count = Parts * staging_tiles_of<To>(Width);
    // The columns of a tile that has some of the one before again begin anew.
    static constexpr int alone = is_whole ? 0 : 1;

    [[nodiscard]] static __device__ __forceinline__ bool follows(int number) {
        return Parts == 1 && number > 0 && number + alone < count;
    }
    [[nodiscard]] static __device__ __forceinline__ bool is_last(int number) {
        return Parts == 2 || number + 1 + alone >= count;
    }
};

// The whole epilogue of accumulators in the registers that hold them, a staging tile at a time. One
// copy of the code for all of them: unrolled, it would be more than the instruction cache holds,
// and run at its pace. Those who store together meet once for each: before they do, the one that
// leads has seen that the other tile has been read.
template <class C, class To, bool ByTma, bool Glu, class ElementCompute, class Sum, int Parts,
          int Count>
__device__ __forceinline__ void store_fused(staging_tiles<C>& staging,
                                            const arguments<ElementCompute>& p,
                                            const prefetched_bias<C, ElementCompute>& ahead,
                                            const output_tile& out,
                                            const Sum (&acc)[Parts][Count]) {
    constexpr bool fuses = C::has_epilogue && std::is_same_v<ElementCompute, float> && !Glu;
    constexpr int width = Glu ? Count : 2 * Count;
    using order = staging_order<To, Parts, width>;
    const bool has_source = p.epilogue.has_source;
    std::conditional_t<fuses, register_fusion<C, order::columns>,
                       alpha_scaling<C, ElementCompute, Glu>>
        fusion(p, ahead, out);
#pragma unroll 1
    for (int number = 0; number < order::count; ++number) {
        const int first = out.col + first_column_of<To>(number / Parts, width);
        ElementCompute some[order::columns / 2];
        fusion.take(some, number, first, acc);
        if (ByTma && has_source) staging.wait_for_source();
        unsigned char* const tile = staging.next();
        const auto by_threads = [&] {
            // Beside promoted accumulators there are no registers for it meanwhile.
            const int own = !C::is_native ? ptx::thread_anew() % 128 : out.thread;
            return thread_store<C, To, ElementCompute>(
                p, tile, {out.row + number % Parts * 64, first, own, out.product},
                out.col + number / Parts * order::columns);
        };
        if (!ByTma && has_source) {
            by_threads().load_source();
            staging.sync();
        }
        if constexpr (fuses) {
            fill_staging_activated<C, To>(tile, p.epilogue, out.thread, some);
        } else {
            if (has_source) add_source<C, To>(some, tile, p.epilogue.beta, out.thread);
            fill_staging<C, To>(tile, out.thread, [&](int i) { return some[i]; });
        }
        if (number % Parts == Parts - 1)
            fusion.advance(order::is_whole
                               ? order::columns
                               : first_column_of<To>(number / Parts + 1, width) + out.col - first);
        if constexpr (ByTma) {
            store_and_reload<C, To, Parts>(staging, p, out, tile, number, first, width);
        } else {
            staging.sync();
            by_threads().store(
                order::follows(number)
                    ? static_cast<int>(staging.tiles + staging.turn * staging_tile_bytes - tile)
                    : 0,
                order::is_last(number));
            if (Parts == 1) staging.sync();  // then the tile before is read
        }
    }
}

}  // namespace carat::cuda::sm90
