// The shared-memory epilogue of a single tile, where there is a source or something is fused (else
// direct.cuh). The accumulators of a CTA go to shared memory as lines along the dimension in which
// C is contiguous. Where several CTAs split K, each owns as many of the lines: the others send it
// theirs through distributed shared memory, and it adds them up in the order of K, so that the bits
// do not depend on who is first.
//
//     CTA 0   own         [ 0 | 1 | 2 | 3 ]      from others  [ 0 of 1 | 0 of 2 | 0 of 3 ]
//     CTA 1   own         [ 0 | 1 | 2 | 3 ]      from others  [ 1 of 0 | 1 of 2 | 1 of 3 ]  ...
#pragma once

#include "cuda/families/wgmma/accumulator_layout.cuh"
#include "cuda/families/wgmma/epilogue/line_store.cuh"
#include "cuda/families/wgmma/epilogue/split_k.cuh"

namespace carat::cuda::wgmma {

// How a tile's accumulators lie in shared memory: as rows, or as columns. Padding spreads what a
// warp writes over all banks.
template <class C, bool Rows>
struct tile_lines {
    static constexpr int count = Rows ? C::block_m : C::block_n;
    static constexpr int length = Rows ? C::block_n : C::block_m;
    static constexpr int pitch = length + (Rows ? 8 : 4);
    static constexpr int bytes = count * pitch * 4;
};

// The accumulators of a thread, to shared memory.
template <class C, bool Rows, class ElementCompute, class Sum, int Count>
__device__ __forceinline__ void stage_accumulators(ElementCompute* to, int first_row, int thread,
                                                   const Sum (&acc)[Count]) {
    constexpr int pitch = tile_lines<C, Rows>::pitch;
    const ptx::place at = accumulator_place<C::a_from_registers>(thread, 0);
    const int row = first_row + at.row;
    ElementCompute* const from_here =
        to + (Rows ? row * pitch + at.column : at.column * pitch + row);
#pragma unroll
    for (int i = 0; i < Count; i += 2) {
        const ptx::place step = accumulator_place<C::a_from_registers>(0, i);
        const auto first = static_cast<ElementCompute>(acc[i]);
        const auto second = static_cast<ElementCompute>(acc[i + 1]);
        if constexpr (Rows) {
            *reinterpret_cast<pair<ElementCompute>*>(from_here + step.row * pitch + step.column) = {
                first, second};
        } else {
            from_here[step.column * pitch + step.row] = first;
            from_here[(step.column + 1) * pitch + step.row] = second;
        }
    }
}

// How many bytes the other CTAs send to this one.
template <class C>
__device__ __forceinline__ int dsmem_bytes_from_others(bool rows, int split_k) {
    const int all = rows ? tile_lines<C, true>::bytes : tile_lines<C, false>::bytes;
    return one_of(all, split_k) * (split_k - 1);
}

// Each of the other CTAs gets its lines of this one's accumulators, from as many threads. Nothing
// waits: it is the CTA that gets them that must not end before they have arrived.
template <class C, bool Rows, class ElementCompute>
__device__ __forceinline__ void send_to_others(const ElementCompute* own, ElementCompute* others,
                                               ptx::barrier& arrived, const single_tile& tile) {
    using lines = tile_lines<C, Rows>;
    const int split = tile.own.split;
    const int slice = one_of(lines::count, tile.own.split_k) * lines::pitch;
    const int threads_each = one_of(C::consumer_threads, tile.own.split_k);
    const int to = tile.thread >> ptx::log2_of(threads_each);
    if (to == split) return;
    const auto* const from = reinterpret_cast<const four<ElementCompute>*>(own + to * slice);
    const int place = split - (split > to ? 1 : 0);
    const int rank = rank_of_split(to, split, tile.own.split_k);
    const std::uint32_t there =
        ptx::map_shared_rank(ptx::shared_address(others + place * slice), rank);
    const std::uint32_t told = ptx::map_shared_rank(ptx::shared_address(&arrived), rank);
#pragma unroll 2
    for (int i = tile.thread & (threads_each - 1); i < slice / 4; i += threads_each)
        ptx::store_async(there + static_cast<std::uint32_t>(i) * sizeof(four<ElementCompute>),
                         from[i].of, told);
}

// Where a thread finds its four neighbours of this CTA's lines, in all splits of K.
template <class C, bool Rows, class ElementCompute>
struct reduced_lines {
    using lines = tile_lines<C, Rows>;
    static constexpr int fours = lines::length / 4;
    static constexpr int line_step = C::consumer_threads / fours;  // lines of a thread

    const ElementCompute* mine;
    const ElementCompute* others;
    int slice;
    split_of_k own;

    // The sums of Count lines from the thread's `first`-th on, none beyond number `most`.
    template <int Count>
    __device__ __forceinline__ void operator()(four<ElementCompute> (&sums)[Count], int first,
                                               int most) const {
#pragma unroll
        for (four<ElementCompute>& sum : sums) sum = {};
#pragma unroll 1
        for (int from = 0; from < own.split_k; ++from) {
            const ElementCompute* const of =
                from == own.split ? mine : others + (from - (from > own.split ? 1 : 0)) * slice;
#pragma unroll
            for (int l = 0; l < Count; ++l) {
                const auto some = *reinterpret_cast<const four<ElementCompute>*>(
                    of + min(first + l, most) * line_step * lines::pitch);
#pragma unroll
                for (int j = 0; j < 4; ++j) sums[l].of[j] += some.of[j];
            }
        }
    }
};

// Where four neighbours are stored at once, there is no source, and lines don't differ.
template <class ElementCompute, class Store, class Sums>
__device__ __forceinline__ void store_without_source(const Store& store,
                                                     const arguments<ElementCompute>& p,
                                                     const line_fusion& fusion, const Sums& sums) {
    const activation function = p.epilogue.fusion.activation_function;
    if (is_sigmoid_form(function)) {
        const sigmoid_form<float> form(function);
        return store.template store<4>(sums, [&](float(&x)[4]) {
            fusion.scale_and_shift(x, p.epilogue.alpha);
#pragma unroll
            for (float& value : x) value = form(value);
        });
    }
    const bool rectifies = function == activation::relu;
    return store.template store<4>(sums, [&](float(&x)[4]) {
        fusion.scale_and_shift(x, p.epilogue.alpha);
        if (!rectifies) return;
#pragma unroll
        for (float& value : x) value = rectified{}(value);
    });
}

// This CTA's lines: the sum of all splits of K, in their order, to C.
template <class To, class C, bool Rows, class ElementCompute>
__device__ __forceinline__ void store_lines_as(const arguments<ElementCompute>& p,
                                               const single_tile& tile, const line_fusion& fusion,
                                               const ElementCompute* own,
                                               const ElementCompute* from_others) {
    using reduced = reduced_lines<C, Rows, ElementCompute>;
    using lines = tile_lines<C, Rows>;
    constexpr int line_step = reduced::line_step;
    constexpr bool fuses = C::has_epilogue && std::is_same_v<ElementCompute, float>;
    const int own_lines = one_of(lines::count, tile.own.split_k);
    const int first = tile.own.split * own_lines;
    const int line = tile.thread / reduced::fours;
    const int along = tile.thread % reduced::fours * 4;
    // Where lines don't share the threads out evenly, the last ones have nothing to do.
    const int count = line < line_step ? (own_lines - line + line_step - 1) / line_step : 0;
    const line_store<To, ElementCompute> store(
        p, tile.member, Rows, (Rows ? tile.row : tile.col) + first + line, line_step, count,
        (Rows ? tile.col : tile.row) + along);
    const int place = line * lines::pitch + along;
    const reduced sums{own + first * lines::pitch + place, from_others + place,
                       own_lines * lines::pitch, tile.own};
    if constexpr (fuses)  // else these go the direct way
        if (store.only_stores() && fusion.is_same_on_each_line())
            return store_without_source(store, p, fusion, sums);
    store.template store_fused<4>(line_step, fusion, sums);
}

template <class C, bool Rows>
__device__ __forceinline__ void store_lines(const arguments<float>& p, const single_tile& tile,
                                            const line_fusion& fusion, const float* own,
                                            const float* others) {
    if constexpr (writes<C, __half>)
        if (p.c.type == output_type::f16)
            return store_lines_as<__half, C, Rows>(p, tile, fusion, own, others);
    if constexpr (writes<C, __nv_bfloat16>)
        if (p.c.type == output_type::bf16)
            return store_lines_as<__nv_bfloat16, C, Rows>(p, tile, fusion, own, others);
    store_lines_as<float, C, Rows>(p, tile, fusion, own, others);
}
template <class C, bool Rows>
__device__ __forceinline__ void store_lines(const arguments<std::uint32_t>& p,
                                            const single_tile& tile, const line_fusion& fusion,
                                            const std::uint32_t* own, const std::uint32_t* others) {
    store_lines_as<std::uint32_t, C, Rows>(p, tile, fusion, own, others);
}

template <class C, bool Rows, class ElementCompute, class Sum, int Count>
__device__ __forceinline__ void reduce_and_store(const arguments<ElementCompute>& p,
                                                 const single_tile& tile,
                                                 const reduction_smem& smem,
                                                 const Sum (&acc)[Count]) {
    using lines = tile_lines<C, Rows>;
    auto* const own = reinterpret_cast<ElementCompute*>(smem.own);
    auto* const others = reinterpret_cast<ElementCompute*>(smem.others);
    line_fusion fusion(p.epilogue.fusion, Rows);
    // These reads begin before accumulators are staged, which hides the time that memory takes.
    const int along = (Rows ? tile.col : tile.row) + tile.thread % (lines::length / 4) * 4;
    const output_view to = output_of(p, tile.member);
    fusion.read(along, (Rows ? to.n : to.m) - along);
    stage_accumulators<C, Rows>(own, tile.thread / 128 * 64, tile.thread % 128, acc);
    sync_consumers<C>();
    if (tile.own.split_k > 1) {
        send_to_others<C, Rows>(own, others, smem.arrived, tile);
        ptx::wait_for(smem.arrived, 0);
    }
    store_lines<C, Rows>(p, tile, fusion, own, others);
}

// All consumers call it when their CTA has multiplied all of its split. `arrived` counts
// dsmem_bytes_from_others().
template <class C, class ElementCompute, class Sum, int Count>
__device__ __forceinline__ void run_dsmem_epilogue(const arguments<ElementCompute>& p,
                                                   const single_tile& tile,
                                                   const reduction_smem& smem,
                                                   const Sum (&acc)[Count]) {
    sync_consumers<C>();  // none of them reads the pipeline any more
    if (p.c.is_row_major)
        reduce_and_store<C, true>(p, tile, smem, acc);
    else
        reduce_and_store<C, false>(p, tile, smem, acc);
}

}  // namespace carat::cuda::wgmma
