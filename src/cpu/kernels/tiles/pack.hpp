// Packing for tiles. A tile holds 16 lines of 64 bytes of depth either line by line (the role of A)
// or in groups of 4 bytes of depth (the role of B); one form is the other transposed as 16 x 16
// words of 32 bits. Which of them an operand gives without shuffling depends on its strides:
//
//   depths side by side (along = 1)   lines, by one load each
//   lines side by side (across = 1)   groups: 4 bytes of depth of 16 lines, by one permutation
//   neither                           lines, element by element
#pragma once

#include <carat/types.hpp>

#include "cpu/kernels/tile_kernel.hpp"
#include "cpu/kernels/tiles/lines.hpp"

namespace carat::cpu_engine::CARAT_ISA {

template <class E>
inline constexpr int step_depth = step_bytes / static_cast<int>(sizeof(E));

// Where strips are written, and what of an operand.
struct packing {
    const std::byte* in;
    std::int64_t across;
    std::int64_t along;
    std::int64_t lines;
    std::int64_t depth;
    std::byte* out;
    std::int64_t strip_bytes;

    [[nodiscard]] std::byte* tile(std::int64_t line, std::int64_t step) const {
        return out + line / strip_lines * strip_bytes + line / tile_lines % 2 * tile_bytes +
               step * strip_step_bytes;
    }
};

template <class E>
inline constexpr auto element_size = static_cast<std::int64_t>(sizeof(E));

// The lines of a tile, 64 bytes of each, as far as they are there.
template <class E>
inline tile_rows load_lines(const packing& p, std::int64_t i, std::int64_t at) {
    const std::int64_t across_bytes = p.across * element_size<E>;
    const std::int64_t left_bytes = p.depth * element_size<E> - at;
    const std::byte* line = p.in + i * across_bytes + at;
    tile_rows t;
    if (p.lines - i >= tile_lines && left_bytes >= step_bytes) {
        for (int r = 0; r < tile_lines; ++r) t.at[r] = load_line(line + r * across_bytes);
        return t;
    }
    for (int r = 0; r < tile_lines; ++r)
        t.at[r] = load_line(line + r * across_bytes, i + r < p.lines ? left_bytes : 0);
    return t;
}

inline void store_rows_of(const tile_rows& t, std::byte* out) {
    for (int r = 0; r < tile_lines; ++r) store_line(out + r * step_bytes, t.at[r]);
}

// Depths side by side: tile after tile along 16 lines.
template <class E, bool Groups>
inline void copy_lines(const packing& p) {
    for (std::int64_t i = 0; i < p.lines; i += tile_lines) {
        std::byte* out = p.tile(i, 0);
        for (std::int64_t at = 0; at < p.depth * element_size<E>;
             at += step_bytes, out += strip_step_bytes) {
            tile_rows t = load_lines<E>(p, i, at);
            if constexpr (Groups) transpose(t);
            store_rows_of(t, out);
        }
    }
}

// Lines side by side, `Tiles` tiles of them from `i` on: one group of depth.
template <class E, int Tiles>
inline void copy_group(const packing& p, std::int64_t i, std::int64_t g,
                       typename group<E>::order_type order) {
    using one = group<E>;
    constexpr int lines_of_cache = (Tiles * tile_lines * static_cast<int>(sizeof(E)) + 63) / 64;
    const std::int64_t row_bytes = p.along * element_size<E>;
    const std::byte* in = p.in + g * one::rows * row_bytes + i * element_size<E>;
    std::byte* out = p.tile(i, g / tile_lines) + g % tile_lines * step_bytes;
    // The next group: strides hide it from the hardware.
    for (int r = 0; r < one::rows * lines_of_cache; ++r)
        __builtin_prefetch(in + (one::rows + r % one::rows) * row_bytes + r / one::rows * 64);
    for (int t = 0; t < Tiles; ++t)
        store_line(out + t / 2 * p.strip_bytes + t % 2 * tile_bytes,
                   one::load(in + t * tile_lines * element_size<E>, row_bytes, order));
}

// Any number of lines from `i` on, any rest of depth.
template <class E>
inline void copy_ragged_group(const packing& p, std::int64_t i, std::int64_t g,
                              typename group<E>::order_type order) {
    using one = group<E>;
    const std::int64_t row_bytes = p.along * element_size<E>;
    const std::int64_t depths = p.depth - g * one::rows;
    for (; i < p.lines; i += tile_lines) {
        const std::byte* in = p.in + g * one::rows * row_bytes + i * element_size<E>;
        const int lines = p.lines - i < tile_lines ? static_cast<int>(p.lines - i) : tile_lines;
        store_line(p.tile(i, g / tile_lines) + g % tile_lines * step_bytes,
                   depths > 0 ? one::load(in, row_bytes, order, lines, depths) : zero_line());
    }
}

// Lines side by side: a group of depth across all lines before the next group, in the order of
// memory. Across lines at stride 2048, step by step, it ran at 8 GB/s from L3, so at 10.
template <class E>
inline void copy_groups(const packing& p) {
    const auto order = group<E>::order();
    const std::int64_t groups = (p.depth + step_depth<E> - 1) / step_depth<E> * tile_lines;
    const std::int64_t whole_groups = p.depth / group<E>::rows;
    for (std::int64_t g = 0; g < groups; ++g) {
        std::int64_t i = 0;
        if (g < whole_groups) {
            for (; p.lines - i >= 2 * strip_lines; i += 2 * strip_lines)
                copy_group<E, 4>(p, i, g, order);
            for (; p.lines - i >= tile_lines; i += tile_lines) copy_group<E, 1>(p, i, g, order);
        }
        copy_ragged_group<E>(p, i, g, order);
    }
}

template <class E>
inline void transpose_tiles(const packing& p) {
    for (std::int64_t i = 0; i < p.lines; i += tile_lines)
        for (std::int64_t d = 0; d < p.depth; d += step_depth<E>) {
            std::byte* at = p.tile(i, d / step_depth<E>);
            tile_rows t;
            for (int r = 0; r < tile_lines; ++r) t.at[r] = load_line(at + r * step_bytes);
            transpose(t);
            for (int r = 0; r < tile_lines; ++r) store_line(at + r * step_bytes, t.at[r]);
        }
}

// The same in the form of lines: few tiles at a time, which are still near when they are turned.
template <class E>
inline void copy_groups_as_lines(const packing& p) {
    for (std::int64_t d = 0; d < p.depth; d += step_depth<E>)
        for (std::int64_t i = 0; i < p.lines; i += 2 * strip_lines) {
            packing part = p;
            part.in += (i * p.across + d * p.along) * element_size<E>;
            part.lines = p.lines - i < 2 * strip_lines ? p.lines - i : 2 * strip_lines;
            part.depth = p.depth - d < step_depth<E> ? p.depth - d : step_depth<E>;
            part.out = p.tile(i, d / step_depth<E>);
            copy_groups<E>(part);
            transpose_tiles<E>(part);
        }
}

// Neither: into tiles of lines.
template <class E>
inline void copy_elements(const packing& p) {
    using bits = typename group<E>::bits;
    const auto* in = reinterpret_cast<const bits*>(p.in);
    const std::int64_t lines = (p.lines + tile_lines - 1) / tile_lines * tile_lines;
    const std::int64_t depth = (p.depth + step_depth<E> - 1) / step_depth<E> * step_depth<E>;
    for (std::int64_t i = 0; i < lines; ++i)
        for (std::int64_t d = 0; d < depth; ++d) {
            auto* out = reinterpret_cast<bits*>(p.tile(i, d / step_depth<E>));
            const bool there = i < p.lines && d < p.depth;
            out[i % tile_lines * step_depth<E> + d % step_depth<E>] =
                there ? in[i * p.across + d * p.along] : bits{0};
        }
}

// See pack_tiles_function in tile_kernel.hpp.
template <class E, bool Groups>
void pack_tiles(const std::byte* source, std::int64_t across, std::int64_t along,
                std::int64_t lines, std::int64_t depth, std::byte* out, std::int64_t strip_bytes) {
    const packing p = {source, across, along, lines, depth, out, strip_bytes};
    if (across == 1) {
        if constexpr (Groups) {
            copy_groups<E>(p);
        } else {
            copy_groups_as_lines<E>(p);
        }
    } else if (along == 1) {
        copy_lines<E, Groups>(p);
    } else {
        copy_elements<E>(p);
        if constexpr (Groups) transpose_tiles<E>(p);
    }
}

}  // namespace carat::cpu_engine::CARAT_ISA
