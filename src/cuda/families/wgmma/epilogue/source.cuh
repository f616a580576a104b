// What beta multiplies, in the shadow of a persistent kernel's main loop: behind the k-blocks of a
// tile it comes through the pipeline like one or two more of them, and is there when these are
// multiplied.
//
//     producer   ... [ A B | A B | A B | A B | E E E | E   ] A B of the next tile ...
//
// A stage holds boxes: of all rows of the tile 128 bytes, as staging tiles have them, swizzled; or,
// where C leaves by columns (column_major.cuh), 32 columns of them, 32 rows after the other.
#pragma once

#include "cuda/families/wgmma/arguments.hpp"
#include "cuda/families/wgmma/epilogue/glu_columns.cuh"
#include "cuda/families/wgmma/pipeline.cuh"
#include "cuda/ptx/tma.cuh"

namespace carat::cuda::wgmma {

template <class ElementCompute>
[[nodiscard]] __device__ __forceinline__ bool loads_source(const arguments<ElementCompute>& p) {
    return p.epilogue.has_source && p.c.loads_source;
}

template <class C>
struct source_boxes {
    static constexpr int bytes = C::block_m * 128;
    static constexpr int of_stage = C::stage_bytes / bytes;

    int log2_columns;  // of a box
    int count;

    template <class ElementCompute>
    __device__ __forceinline__ explicit source_boxes(const arguments<ElementCompute>& p)
        : log2_columns(p.c.type == output_type::f16 || p.c.type == output_type::bf16 ? 6 : 5),
          count(columns_of_c<C>(p) >> log2_columns) {}

    [[nodiscard]] __device__ __forceinline__ int stages() const {
        return (count + of_stage - 1) / of_stage;
    }
};

// The box whose first element is (row, col).
template <class C, class ElementCompute>
__device__ __forceinline__ void load_box(unsigned char* to, const CUtensorMap& map,
                                         const arguments<ElementCompute>& p, int row, int col,
                                         int product, ptx::barrier& arrived) {
    if constexpr (C::is_batched) {
        ptx::tma_load(to, map, col, row, product, arrived);
    } else if constexpr (C::a_from_registers) {
        if (p.c.is_row_major) return ptx::tma_load(to, map, col, row, arrived);
#pragma unroll 1
        for (int down = 0; down < C::block_m; down += 32)
            ptx::tma_load(to + down * 128, map, row + down, col, arrived);
    } else {
        ptx::tma_load(to, map, col, row, arrived);
    }
}

// The producer calls it after the k-blocks of the tile that begins at (row, col).
template <class C, class ElementCompute>
__device__ __forceinline__ void produce_source(const pipeline<C>& pipe, pipeline_state& at,
                                               const CUtensorMap& map,
                                               const arguments<ElementCompute>& p, int row, int col,
                                               int product) {
    using boxes = source_boxes<C>;
    const boxes all(p);
#pragma unroll 1
    for (int i = 0; i < all.count; at.advance(pipe.stages)) {
        const int end = min(i + boxes::of_stage, all.count);
        pipe.producer_acquire(at, (end - i) * boxes::bytes);
        unsigned char* to = pipe.a(at.stage);
#pragma unroll 1
        for (; i < end; ++i, to += boxes::bytes)
            load_box<C>(to, map, p, row, col + (i << all.log2_columns), product,
                        pipe.full[at.stage]);
    }
}

// A warpgroup on its way through it, 64 rows of a box at a time: of tiles that the warpgroup has to
// itself one part of the rows after the other.
template <class C>
struct source_reader {
    static constexpr int parts = C::is_pingpong ? 2 : 1;

    const pipeline<C>& pipe;
    pipeline_state at;
    int first_row;
    int box = 0;  // of the stage

    [[nodiscard]] __device__ __forceinline__ const unsigned char* tile(int part) const {
        if (part == 0 && box == 0) pipe.consumer_wait(at);
        return pipe.a(at.stage) + (box * C::block_m + first_row + part * 64) * 128;
    }
    // This warp has read it. `sync` is the barrier of the warpgroup.
    template <class Sync>
    __device__ __forceinline__ void pass(int part, bool is_last, int thread, const Sync& sync) {
        if (part + 1 < parts || (++box < source_boxes<C>::of_stage && !is_last)) return;
        sync();
        pipe.consumer_release(at.stage, thread);
        at.advance(pipe.stages);
        box = 0;
    }
};

}  // namespace carat::cuda::wgmma
