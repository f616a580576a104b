// The producer: one thread that loads tiles of A and B by TMA, each CTA of a cluster its share of
// what the others multiply too, by multicast: of the tile of B for those whose tiles lie below each
// other, and of the tile of A for those beside each other. Persistent clusters have two CTAs that
// share one of them, those of single tiles up to 8 that may share both. It runs ahead into the next
// tile of C while the consumers store theirs, and brings what beta multiplies, too
// (epilogue/source.cuh).
#pragma once

#include "cuda/families/wgmma/cta_coordinate.cuh"
#include "cuda/families/wgmma/epilogue/glu_columns.cuh"
#include "cuda/families/wgmma/epilogue/single_source.cuh"
#include "cuda/families/wgmma/epilogue/source.cuh"
#include "cuda/families/wgmma/pipeline.cuh"
#include "cuda/ptx/pdl.cuh"
#include "cuda/ptx/tma.cuh"

namespace carat::cuda::wgmma {

// An MN-major tile arrives in TMA boxes of 128 bytes across K and the tile's depth along K.
template <class C>
constexpr int columns_of_box = C::block_k;

// The TMA boxes of this CTA's share of the tile of A: the line of the tile where each begins, and
// its place in A.
template <class C, class Load>
__device__ __forceinline__ void each_box_of_a(int row, int k, const cta_coordinate<C>& cta,
                                              const Load& load) {
    if constexpr (C::a_major == operand_major::k) {
        const int first = cta.first_line_of_a(C::block_m);
        load(first, k, row + first);
    } else {
        const int first = cta.first_line_of_a(C::block_k);
#pragma unroll
        for (int i = 0; i < C::block_m; i += columns_of_box<C>) load(i + first, row + i, k + first);
    }
}

// The TMA boxes of this CTA's share of the tile of B, K-major or N-major. The second half of the
// columns lies `to_values` further right.
template <class C, class Load>
__device__ __forceinline__ void each_box_of_b(int col, int to_values, int k,
                                              const cta_coordinate<C>& cta, const Load& load) {
    const auto column = [&](int i) { return col + i + (i < C::block_n / 2 ? 0 : to_values); };
    if constexpr (C::b_major == operand_major::k) {
        const int first = cta.first_line_of_b(C::block_n);
        load(first, k, column(first));
    } else {
        const int first = cta.first_line_of_b(C::block_k);
#pragma unroll
        for (int i = 0; i < C::block_n; i += columns_of_box<C>)
            load(i + first, column(i), k + first);
    }
}

// What the producer loads for one tile of C.
struct producer_tile {
    int row;
    int col;
    int to_values;  // of a GLU: how much further right than beside the gates the values begin
    int batch_a;
    int batch_b;
    std::uint16_t receivers_of_a;  // by multicast
    std::uint16_t receivers_of_b;
};

// Loads A into one split of the stage: 0 for big elements, or for all of them; 1 for small ones.
template <class C>
__device__ __forceinline__ void load_a(const pipeline<C>& pipe, int stage, int split,
                                       const CUtensorMap& map, const producer_tile& tile, int k,
                                       const cta_coordinate<C>& cta) {
    each_box_of_a<C>(tile.row, k, cta, [&](int line, int x, int y) {
        unsigned char* const to = pipe.a(stage) + split * C::a_bytes + line * C::block_k_bytes;
        if constexpr (C::multicast_a)
            ptx::tma_load_multicast(to, map, x, y, pipe.full[stage], tile.receivers_of_a);
        else if constexpr (C::is_persistent && !C::is_batched)
            ptx::tma_load(to, map, x, y, pipe.full[stage]);
        else if (!C::is_persistent && cta.shares_a())
            ptx::tma_load_multicast(to, map, x, y, tile.batch_a, pipe.full[stage],
                                    tile.receivers_of_a);
        else
            ptx::tma_load(to, map, x, y, tile.batch_a, pipe.full[stage]);
    });
}

template <class C>
__device__ __forceinline__ void load_b(const pipeline<C>& pipe, int stage, int split,
                                       const CUtensorMap& map, const producer_tile& tile, int k,
                                       const cta_coordinate<C>& cta) {
    each_box_of_b<C>(tile.col, tile.to_values, k, cta, [&](int line, int x, int y) {
        unsigned char* const to = pipe.b(stage) + split * C::b_bytes + line * C::block_k_bytes;
        if constexpr (C::multicast_a)
            ptx::tma_load(to, map, x, y, pipe.full[stage]);
        else if constexpr (C::is_persistent && !C::is_batched)
            ptx::tma_load_multicast(to, map, x, y, pipe.full[stage], tile.receivers_of_b);
        else if (C::is_persistent || cta.shares_b())
            ptx::tma_load_multicast(to, map, x, y, tile.batch_b, pipe.full[stage],
                                    tile.receivers_of_b);
        else
            ptx::tma_load(to, map, x, y, tile.batch_b, pipe.full[stage]);
    });
}

template <class C, class ElementCompute>
__device__ __forceinline__ void produce_tile(const pipeline<C>& pipe, pipeline_state& at,
                                             const cta_problem& of,
                                             const arguments<ElementCompute>& p,
                                             const CUtensorMap& source,
                                             const cta_coordinate<C>& cta, const work_tile& work,
                                             int product) {
    const int batch_a = p.batch.one_a ? 0 : product;
    const int batch_b = p.batch.one_b ? 0 : product;
    const int row = cta.row(work.tile) + of.first_row;
    const int col = cta.col(work.tile, columns_of_c<C>(p)) + of.first_col;
    const int to_values = glu_values_offset<C>(p);
    const producer_tile tile{
        row, col, to_values, batch_a, batch_b, cta.receivers_of_a(), cta.receivers_of_b()};
    const int triggers_pdl = max(work.k_begin, work.k_end - p.pipeline.pdl_k_tiles);
#pragma unroll 1
    for (int k = work.k_begin; k < work.k_end; ++k, at.advance(pipe.stages)) {
        if (!C::is_persistent && k == triggers_pdl) ptx::pdl_trigger();
        pipe.producer_acquire(at);
        // A split operand has all its big elements first along K, then the small ones.
#pragma unroll
        for (int split = 0; split < C::splits; ++split) {
            const int from = (k + split * of.k_tiles) * C::block_k + of.first_k;
            load_a<C>(pipe, at.stage, split, *of.a, tile, from, cta);
            load_b<C>(pipe, at.stage, split, *of.b, tile, from, cta);
        }
    }
    if constexpr (C::is_persistent) {
        const bool ends = !C::stream_k || work.k_end == of.k_tiles;
        if (ends && loads_source(p))
            produce_source<C>(pipe, at, source, p, tile.row, tile.col, product);
    } else if constexpr (C::finishes_in_registers) {
        if (loads_source(p))
            single_source<C>(p).load(pipe, at, source, tile.row, tile.col, product);
    }
}

template <class C, class ElementCompute>
__device__ __forceinline__ pipeline_state
run_producer(const pipeline<C>& pipe, const cta_problem& of, const arguments<ElementCompute>& p,
             const CUtensorMap& source, const cta_coordinate<C>& cta, const work_tile& single) {
    pipeline_state at;
    if constexpr (C::is_persistent) {
        tile_finder<C, ElementCompute> find(p);
        for (auto w = tiles_of(cta, p); !w.is_done(); w.advance()) {
            const product_tile found = find(w.tile);
            cta_problem own = of;
            if (C::is_batched) own.first_row = found.first_row;
            produce_tile<C>(pipe, at, own, p, source, cta, {found.tile, w.k_begin(), w.k_end()},
                            found.product);
        }
    } else {
        produce_tile<C>(pipe, at, of, p, source, cta, single, static_cast<int>(blockIdx.y));
    }
    return at;
}

}  // namespace carat::cuda::wgmma
