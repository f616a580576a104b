// The persistent epilogue's ways from a warpgroup's accumulators through staging tiles to C: by
// TMA, where the rows of C are aligned, or else by the threads.
#pragma once

#include <type_traits>

#include "cuda/families/wgmma/epilogue/register_fusion.cuh"
#include "cuda/families/wgmma/epilogue/staging.cuh"
#include "cuda/families/wgmma/epilogue/thread_store.cuh"
#include "cuda/ptx/ldmatrix.cuh"
#include "cuda/ptx/proxy.cuh"
#include "cuda/ptx/thread.cuh"

namespace carat::cuda::wgmma {

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

// beta times what a tile holds, as the staging tile of these values will.
template <class C, class To, class ElementCompute, int Count>
__device__ __forceinline__ void add_source(ElementCompute (&some)[Count], const unsigned char* tile,
                                           ElementCompute beta, int thread) {
    if constexpr (is_16_bits<To>) {
        const std::uint32_t first = address_of_matrices(tile, thread);
#pragma unroll
        for (int i = 0; i < Count; i += 8) {
            std::uint32_t pairs[4];
            ptx::load_matrices(pairs, first ^ (i / 4 * 16), false);
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                const pair<To> both = *reinterpret_cast<const pair<To>*>(&pairs[j]);
                some[i + 2 * j] += beta * static_cast<ElementCompute>(both.first);
                some[i + 2 * j + 1] += beta * static_cast<ElementCompute>(both.second);
            }
        }
    } else {
#pragma unroll
        for (int i = 0; i < Count; i += 2) {
            const pair<To> source =
                *reinterpret_cast<const pair<To>*>(tile + place_of_pair<C, To>(thread, i));
            some[i] += beta * static_cast<ElementCompute>(source.first);
            some[i + 1] += beta * static_cast<ElementCompute>(source.second);
        }
    }
}

// The values of a staging tile after their activation, and with what is added to them.
template <class C, class To, int Count>
__device__ __forceinline__ void fill_staging_activated(unsigned char* tile,
                                                       const unsigned char* source,
                                                       const epilogue_arguments<float>& with,
                                                       int thread, float (&some)[Count]) {
    const activation function = with.fusion.activation_function;
    // Promoted accumulators leave no registers for it.
    if (C::is_native && !with.has_source && is_sigmoid_form(function)) {
        // It is one stretch of code, so that stores to the tile fill the gaps between exponentials.
        const sigmoid_form<float> form(function);
        fill_staging<C, To>(tile, thread, [&](int i) { return form(some[i]); });
        return;
    }
    activate(function, some);
    if (with.has_source) add_source<C, To>(some, source, with.beta, thread);
    fill_staging<C, To>(tile, thread, [&](int i) { return some[i]; });
}

// A staging tile that is filled goes to C when the other one has been read.
template <class C>
__device__ __forceinline__ void store_filled(const staging_tiles<C>& staging,
                                             const output_tile& out, const unsigned char* tile,
                                             int down, int col) {
    ptx::fence_proxy_async_shared();
    if (staging.leads) ptx::tma_store_wait<0>();
    staging.sync();
    if (staging.leads) staging.store(tile, out, down, col);
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
    source_reader<C> source = staging.read_source();
#pragma unroll 1
    for (int number = 0; number < order::count; ++number) {
        const int first = out.col + first_column_of<To>(number / Parts, width);
        ElementCompute some[order::columns / 2];
        fusion.take(some, number, first, acc);
        unsigned char* const tile = staging.next();
        const unsigned char* const added = ByTma && has_source ? source.tile(number % Parts) : tile;
        const auto by_threads = [&] {
            // Promoted accumulators leave no register to keep it in.
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
            fill_staging_activated<C, To>(tile, added, p.epilogue, out.thread, some);
        } else {
            if (has_source) add_source<C, To>(some, added, p.epilogue.beta, out.thread);
            fill_staging<C, To>(tile, out.thread, [&](int i) { return some[i]; });
        }
        if (number % Parts == Parts - 1)
            fusion.advance(order::is_whole
                               ? order::columns
                               : first_column_of<To>(number / Parts + 1, width) + out.col - first);
        if constexpr (ByTma) {
            if (has_source)
                source.pass(number % Parts, number + 1 == order::count, out.thread,
                            [&] { staging.sync_warpgroup(); });
            store_filled<C>(staging, out, tile, number % Parts * 64, first);
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
    if (ByTma && has_source) staging.source = source.at;
}

}  // namespace carat::cuda::wgmma
