// What beta multiplies in a single tile: the producer brings it by TMA into the stages behind the
// last k-blocks, where it arrives as one or two more of them would, and each thread reads what
// belongs to its own accumulators.
//
// A box is 128 bytes of each line of the tile, swizzled. Lines are rows, or columns where C is
// contiguous along these; a stage has as many boxes as fit.
#pragma once

#include "cuda/families/wgmma/accumulator_layout.cuh"
#include "cuda/families/wgmma/arguments.hpp"
#include "cuda/families/wgmma/pipeline.cuh"
#include "cuda/ptx/descriptor.cuh"
#include "cuda/ptx/ldmatrix.cuh"
#include "cuda/ptx/tma.cuh"

namespace carat::cuda::wgmma {

template <class C>
struct single_source {
    bool rows;     // lines are rows
    int bytes;     // of an element
    int box;       // bytes
    int count;     // boxes
    int of_stage;  // boxes

    template <class ElementCompute>
    __device__ __forceinline__ explicit single_source(const arguments<ElementCompute>& p)
        : rows(p.c.is_row_major),
          bytes(p.c.type == output_type::f16 || p.c.type == output_type::bf16 ? 2 : 4) {
        box = (rows ? C::block_m : C::block_n) * 128;
        count = ((rows ? C::block_n : C::block_m) * bytes + 127) / 128;
        of_stage = rows ? C::stage_bytes / (C::block_m * 128) : C::stage_bytes / (C::block_n * 128);
    }

    // The producer calls it with the stage after the last k-block. Nothing follows, so consumers
    // release none of these stages.
    __device__ __forceinline__ void load(const pipeline<C>& pipe, pipeline_state at,
                                         const CUtensorMap& map, int row, int col,
                                         int product) const {
        const int elements = 128 / bytes;
#pragma unroll 1
        for (int i = 0; i < count; at.advance(pipe.stages)) {
            const int end = min(i + of_stage, count);
            pipe.producer_acquire(at, (end - i) * box);
            unsigned char* to = pipe.a(at.stage);
#pragma unroll 1
            for (; i < end; ++i, to += box)
                ptx::tma_load(to, map, rows ? col + i * elements : row + i * elements,
                              rows ? row : col, product, pipe.full[at.stage]);
        }
    }

    __device__ __forceinline__ void wait(const pipeline<C>& pipe, pipeline_state at) const {
#pragma unroll 1
        for (int i = 0; i < count; i += of_stage, at.advance(pipe.stages)) pipe.consumer_wait(at);
    }

    // Where 16 bytes begin: those that are number `chunk` of a line.
    [[nodiscard]] __device__ __forceinline__ const unsigned char* chunk(const pipeline<C>& pipe,
                                                                        int first_stage, int line,
                                                                        int chunk) const {
        const int at = chunk / 8;
        int stage = first_stage + at / of_stage;
        if (stage >= pipe.stages) stage -= pipe.stages;
        return pipe.a(stage) + at % of_stage * box + ptx::swizzled_chunk(line, chunk % 8) * 16;
    }

    template <class To>
    [[nodiscard]] __device__ __forceinline__ To element(const pipeline<C>& pipe, int first_stage,
                                                        int row, int col) const {
        constexpr int in_chunk = 16 / static_cast<int>(sizeof(To));
        const int line = rows ? row : col;
        const int along = rows ? col : row;
        return reinterpret_cast<const To*>(
            chunk(pipe, first_stage, line, along / in_chunk))[along % in_chunk];
    }
};

}  // namespace carat::cuda::wgmma
