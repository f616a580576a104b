// Packing for matrix units. A tile holds 64 bytes of k of 16 vectors, either vector by vector (the
// role of A) or in groups of 4 bytes of k (the role of B); each form is the other transposed as 16
// x 16 words of 32 bits. The strides decide which of them an operand gives without shuffling:
//
//   k contiguous (k_stride = 1)             vectors, by one load each
//   extent contiguous (outer_stride = 1)    groups: 4 bytes of k of 16 vectors, by one permutation
//   neither                                 vectors, element by element
#pragma once

#include <carat/types.hpp>

#include "cpu/kernels/matrix_unit_kernel.hpp"
#include "cpu/kernels/panels/cache_line.hpp"

namespace carat::cpu_engine::CARAT_ISA {

template <class E>
inline constexpr int step_k = step_bytes / static_cast<int>(sizeof(E));

// Where micropanels are written, and which part of an operand.
struct packing {
    const std::byte* in;
    std::int64_t outer_stride;
    std::int64_t k_stride;
    std::int64_t extent;
    std::int64_t k;
    std::byte* out;
    std::int64_t micropanel_bytes;

    [[nodiscard]] std::byte* tile(std::int64_t line, std::int64_t step) const {
        return out + line / micropanel_extent * micropanel_bytes +
               line / tile_extent % 2 * tile_bytes + step * micropanel_step_bytes;
    }
};

template <class E>
inline constexpr auto element_size = static_cast<std::int64_t>(sizeof(E));

// 64 bytes of each vector of a tile, as far as they exist.
template <class E>
inline tile_rows load_lines(const packing& p, std::int64_t i, std::int64_t at) {
    const std::int64_t outer_stride_bytes = p.outer_stride * element_size<E>;
    const std::int64_t left_bytes = p.k * element_size<E> - at;
    const std::byte* line = p.in + i * outer_stride_bytes + at;
    tile_rows t;
    if (p.extent - i >= tile_extent && left_bytes >= step_bytes) {
        for (int r = 0; r < tile_extent; ++r) t.at[r] = load_line(line + r * outer_stride_bytes);
        return t;
    }
    for (int r = 0; r < tile_extent; ++r)
        t.at[r] = load_line(line + r * outer_stride_bytes, i + r < p.extent ? left_bytes : 0);
    return t;
}

inline void store_rows_of(const tile_rows& t, std::byte* out) {
    for (int r = 0; r < tile_extent; ++r) store_line(out + r * step_bytes, t.at[r]);
}

// Contiguous in k: one tile of 16 vectors after the other.
template <class E, bool Groups>
inline void copy_k_contiguous(const packing& p) {
    for (std::int64_t i = 0; i < p.extent; i += tile_extent) {
        std::byte* out = p.tile(i, 0);
        for (std::int64_t at = 0; at < p.k * element_size<E>;
             at += step_bytes, out += micropanel_step_bytes) {
            tile_rows t = load_lines<E>(p, i, at);
            if constexpr (Groups) transpose(t);
            store_rows_of(t, out);
        }
    }
}

// Contiguous in the extent: one group of k for `Tiles` tiles from `i` on.
template <class E, int Tiles>
inline void copy_group(const packing& p, std::int64_t i, std::int64_t g,
                       typename group<E>::order_type order) {
    using one = group<E>;
    constexpr int lines_of_cache = (Tiles * tile_extent * static_cast<int>(sizeof(E)) + 63) / 64;
    const std::int64_t row_bytes = p.k_stride * element_size<E>;
    const std::byte* in = p.in + g * one::rows * row_bytes + i * element_size<E>;
    std::byte* out = p.tile(i, g / tile_extent) + g % tile_extent * step_bytes;
    // Prefetches the next group, whose stride the hardware does not predict.
    for (int r = 0; r < one::rows * lines_of_cache; ++r)
        __builtin_prefetch(in + (one::rows + r % one::rows) * row_bytes + r / one::rows * 64);
    for (int t = 0; t < Tiles; ++t)
        store_line(out + t / 2 * p.micropanel_bytes + t % 2 * tile_bytes,
                   one::load(in + t * tile_extent * element_size<E>, row_bytes, order));
}

// Any number of vectors from `i` on, any rest of k.
template <class E>
inline void copy_ragged_group(const packing& p, std::int64_t i, std::int64_t g,
                              typename group<E>::order_type order) {
    using one = group<E>;
    const std::int64_t row_bytes = p.k_stride * element_size<E>;
    const std::int64_t k_left = p.k - g * one::rows;
    for (; i < p.extent; i += tile_extent) {
        const std::byte* in = p.in + g * one::rows * row_bytes + i * element_size<E>;
        const int extent =
            p.extent - i < tile_extent ? static_cast<int>(p.extent - i) : tile_extent;
        store_line(p.tile(i, g / tile_extent) + g % tile_extent * step_bytes,
                   k_left > 0 ? one::load(in, row_bytes, order, extent, k_left) : zero_line());
    }
}

// Contiguous in the extent: packs a group of k for all vectors before the next group, in memory
// order. By vectors at stride 2048, step by step, it ran at 8 GB/s from L3; this way at 10.
template <class E>
inline void copy_groups(const packing& p) {
    const auto order = group<E>::order();
    const std::int64_t groups = (p.k + step_k<E> - 1) / step_k<E> * tile_extent;
    const std::int64_t whole_groups = p.k / group<E>::rows;
    for (std::int64_t g = 0; g < groups; ++g) {
        std::int64_t i = 0;
        if (g < whole_groups) {
            for (; p.extent - i >= 2 * micropanel_extent; i += 2 * micropanel_extent)
                copy_group<E, 4>(p, i, g, order);
            for (; p.extent - i >= tile_extent; i += tile_extent) copy_group<E, 1>(p, i, g, order);
        }
        copy_ragged_group<E>(p, i, g, order);
    }
}

template <class E>
inline void transpose_tiles(const packing& p) {
    for (std::int64_t i = 0; i < p.extent; i += tile_extent)
        for (std::int64_t d = 0; d < p.k; d += step_k<E>) {
            std::byte* at = p.tile(i, d / step_k<E>);
            tile_rows t;
            for (int r = 0; r < tile_extent; ++r) t.at[r] = load_line(at + r * step_bytes);
            transpose(t);
            for (int r = 0; r < tile_extent; ++r) store_line(at + r * step_bytes, t.at[r]);
        }
}

// The same in the vectors' form: a few tiles at a time, which are still near when they are
// transposed.
template <class E>
inline void copy_outer_contiguous(const packing& p) {
    for (std::int64_t d = 0; d < p.k; d += step_k<E>)
        for (std::int64_t i = 0; i < p.extent; i += 2 * micropanel_extent) {
            packing part = p;
            part.in += (i * p.outer_stride + d * p.k_stride) * element_size<E>;
            part.extent =
                p.extent - i < 2 * micropanel_extent ? p.extent - i : 2 * micropanel_extent;
            part.k = p.k - d < step_k<E> ? p.k - d : step_k<E>;
            part.out = p.tile(i, d / step_k<E>);
            copy_groups<E>(part);
            transpose_tiles<E>(part);
        }
}

// Neither is contiguous: packs into tiles of vectors.
template <class E>
inline void copy_elements(const packing& p) {
    using bits = typename group<E>::bits;
    const auto* in = reinterpret_cast<const bits*>(p.in);
    const std::int64_t extent = (p.extent + tile_extent - 1) / tile_extent * tile_extent;
    const std::int64_t k = (p.k + step_k<E> - 1) / step_k<E> * step_k<E>;
    for (std::int64_t i = 0; i < extent; ++i)
        for (std::int64_t d = 0; d < k; ++d) {
            auto* out = reinterpret_cast<bits*>(p.tile(i, d / step_k<E>));
            const bool there = i < p.extent && d < p.k;
            out[i % tile_extent * step_k<E> + d % step_k<E>] =
                there ? in[i * p.outer_stride + d * p.k_stride] : bits{0};
        }
}

// See pack_panels_function in matrix_unit_kernel.hpp.
template <class E, bool Groups>
void pack_micropanels(const std::byte* source, std::int64_t outer_stride, std::int64_t k_stride,
                      std::int64_t extent, std::int64_t k, std::byte* out,
                      std::int64_t micropanel_bytes) {
    const packing p = {source, outer_stride, k_stride, extent, k, out, micropanel_bytes};
    if (outer_stride == 1) {
        if constexpr (Groups) {
            copy_groups<E>(p);
        } else {
            copy_outer_contiguous<E>(p);
        }
    } else if (k_stride == 1) {
        copy_k_contiguous<E, Groups>(p);
    } else {
        copy_elements<E>(p);
        if constexpr (Groups) transpose_tiles<E>(p);
    }
}

}  // namespace carat::cpu_engine::CARAT_ISA
