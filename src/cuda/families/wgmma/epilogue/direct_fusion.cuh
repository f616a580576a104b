// What is fused into a single tile or added to it, in the registers that hold its sums: scale, bias
// and activation, and beta times a source that lies in the pipeline's stages. A thread has the sums
// of two rows, or of one; of a cluster that splits K, those that it owns (direct.cuh).
#pragma once

#include "cuda/families/wgmma/epilogue/elements.cuh"
#include "cuda/families/wgmma/epilogue/fusion.cuh"
#include "cuda/families/wgmma/epilogue/single_source.cuh"
#include "cuda/families/wgmma/epilogue/split_k.cuh"

namespace carat::cuda::wgmma {

// Whether so many of a thread's accumulators can be all that it owns.
__device__ __forceinline__ constexpr bool may_be_all(int some, int all) {
    for (int split_k = 2; split_k <= max_split_k; split_k *= 2)
        if (some * split_k == all) return true;
    return false;
}

// Where a thread's sums begin in the tile.
template <class C>
struct owned_sums {
    static constexpr int rows_apart = 8;

    int count;
    int before;  // accumulators that others own
    int row;     // of the tile
    int col;

    __device__ __forceinline__ owned_sums(const split_of_k& own, int thread) {
        const ptx::place place = accumulator_place<C::a_from_registers>(thread % 128, 0);
        count = one_of(C::block_n / 2, own.split_k);
        before = own.split * count;
        row = thread / 128 * 64 + place.row + before / 2 % 2 * rows_apart;
        col = place.column + before / 4 * 8 + before % 2;
    }
};

template <int Count, class Visit>
__device__ __forceinline__ void each_owned(float (&sums)[Count], int count, const Visit& visit) {
#pragma unroll
    for (int i = 0; i < Count; ++i) {
        if (may_be_all(i, Count) && count <= i) return;
        visit(sums[i], i);
    }
}

// Scale, bias and activation of a thread's sums.
template <class C>
struct direct_fusion {
    column_values<C::block_n> scales;
    column_values<C::block_n> shifts;
    float factor[2];  // of each row
    float bias[2];

    direct_fusion() = default;
    __device__ __forceinline__ direct_fusion(const arguments<float>& p, const single_tile& tile) {
        const output_view to = output_of(p, tile.member);
        const owned_sums<C> own(tile.own, tile.thread);
        const epilogue_fusion& with = p.epilogue.fusion;
        const int first = tile.col + own.before / 4 * 8 + own.before % 2;
        scales.read(with.scale, 1.0f, first, 0, to.n, tile.thread);
        shifts.read(with.bias, without_bias(with.bias), first, 0, to.n, tile.thread);
#pragma unroll
        for (int i = 0; i < 2; ++i) {
            const int row = min(tile.row + own.row + i * owned_sums<C>::rows_apart, to.m - 1);
            factor[i] = p.epilogue.alpha * of_row(with.scale, row, 1.0f);
            bias[i] = of_row(with.bias, row, unchanged);
        }
    }

    template <int Count>
    __device__ __forceinline__ void apply(const arguments<float>& p, int count, int thread,
                                          float (&sums)[Count]) const {
        const epilogue_fusion& with = p.epilogue.fusion;
        const bool scales_columns = with.scale.values != nullptr && !with.scale.per_row;
        const bool shifts_columns = with.bias.values != nullptr && !with.bias.per_row;
        if (scales_columns) {
            each_owned(sums, count, [&](float& x, int i) {
                x = fmaf(x, factor[i / 2 % 2] * scales.at(column_of(i), thread),
                         bias[i / 2 % 2] + shifts.at(column_of(i), thread));
            });
        } else if (shifts_columns) {
            each_owned(sums, count, [&](float& x, int i) {
                x = fmaf(x, factor[i / 2 % 2], shifts.at(column_of(i), thread));
            });
        } else {
            const float none = without_bias(with.bias);
            each_owned(sums, count, [&](float& x, int i) {
                x = fmaf(x, factor[i / 2 % 2], bias[i / 2 % 2] + none);
            });
        }
        const activation function = with.activation_function;
        if (function == activation::relu) {
            each_owned(sums, count, [](float& x, int) { x = rectified{}(x); });
        } else if (function != activation::none) {
            const sigmoid_form<float> form(function);
            each_owned(sums, count, [&](float& x, int) { x = form(x); });
        }
    }

  private:
    // Which of the thread's columns accumulator i is in.
    [[nodiscard]] static __device__ __forceinline__ constexpr int column_of(int i) {
        return i / 4 * 2 + i % 2;
    }
};

// Adds beta times the source, of 16 bits, eight accumulators at a time.
template <class To, class C, int Count>
__device__ __forceinline__ void add_source_matrices(const single_source<C>& source,
                                                    const pipeline<C>& pipe, int stage,
                                                    const owned_sums<C>& own, float beta,
                                                    int thread, float (&sums)[Count]) {
    const int lane = thread % 32;
    const int warp_row = thread / 32 * 16;
    // Four matrices: upper rows, lower rows, then the same of the next eight columns.
    const int lower = lane / 8 % 2 * 8;
    const int right = lane / 16 * 8;
    const int first = own.before / 4 * 8 + right;
#pragma unroll
    for (int i = 0; i < Count; i += 8) {
        if (may_be_all(i, Count) && own.count <= i) return;
        const int col = first + i * 2;
        const unsigned char* const from =
            source.rows ? source.chunk(pipe, stage, warp_row + lower + lane % 8, col / 8)
                        : source.chunk(pipe, stage, col + lane % 8, (warp_row + lower) / 8);
        std::uint32_t pairs[4];
        ptx::load_matrices(pairs, ptx::shared_address(from), !source.rows);
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            const pair<To> both = *reinterpret_cast<const pair<To>*>(&pairs[j]);
            sums[i + 2 * j] += beta * static_cast<float>(both.first);
            sums[i + 2 * j + 1] += beta * static_cast<float>(both.second);
        }
    }
}

template <class To, class C, int Count>
__device__ __forceinline__ void add_source_elements(const single_source<C>& source,
                                                    const pipeline<C>& pipe, int stage,
                                                    const owned_sums<C>& own, float beta,
                                                    float (&sums)[Count]) {
    each_owned(sums, own.count, [&](float& x, int i) {
        const int row = own.row + i / 2 % 2 * owned_sums<C>::rows_apart;
        const int col = own.col + i / 4 * 8 + i % 2;
        x += beta * static_cast<float>(source.template element<To>(pipe, stage, row, col));
    });
}

template <class C, int Count>
__device__ __forceinline__ void add_source(const arguments<float>& p, const pipeline<C>& pipe,
                                           const pipeline_state& at, const split_of_k& split,
                                           int thread, float (&sums)[Count]) {
    using half = typename C::element;
    const single_source<C> source(p);
    const owned_sums<C> own(split, thread);
    source.wait(pipe, at);
    if (source.bytes == 4)
        add_source_elements<float>(source, pipe, at.stage, own, p.epilogue.beta, sums);
    else if (own.count >= 4)
        add_source_matrices<half>(source, pipe, at.stage, own, p.epilogue.beta, thread, sums);
    else
        add_source_elements<half>(source, pipe, at.stage, own, p.epilogue.beta, sums);
}

// What becomes of a thread's sums before they are stored. Kernels that don't finish them so have
// none of it.
template <class C, class ElementCompute, bool Finishes = C::finishes_in_registers>
struct direct_finish {
    __device__ __forceinline__ direct_finish(const arguments<ElementCompute>&, const single_tile&) {
    }
    [[nodiscard]] __device__ __forceinline__ bool is_asked_for() const { return false; }
    template <int Count>
    __device__ __forceinline__ void operator()(ElementCompute (&)[Count], const single_tile&,
                                               const pipeline<C>&, const pipeline_state&) {}
};

template <class C>
struct direct_finish<C, float, true> {
    static constexpr bool reads_ahead = C::block_m * C::block_n < 128 * 96;  // as registers allow

    const arguments<float>& p;
    direct_fusion<C> fusion;

    __device__ __forceinline__ direct_finish(const arguments<float>& with, const single_tile& tile)
        : p(with) {
        if (reads_ahead && is_asked_for()) fusion = direct_fusion<C>(p, tile);
    }
    [[nodiscard]] __device__ __forceinline__ bool is_asked_for() const {
        return p.c.path == store_path::fused_from_registers;
    }
    // The source lies in stage `at` and those behind it.
    template <int Count>
    __device__ __forceinline__ void operator()(float (&sums)[Count], const single_tile& tile,
                                               const pipeline<C>& pipe, const pipeline_state& at) {
        if (!reads_ahead) fusion = direct_fusion<C>(p, tile);
        fusion.apply(p, one_of(Count, tile.own.split_k), tile.thread, sums);
        if (p.epilogue.has_source) add_source<C>(p, pipe, at, tile.own, tile.thread, sums);
    }
};

}  // namespace carat::cuda::wgmma
