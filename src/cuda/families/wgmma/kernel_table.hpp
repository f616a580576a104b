// The table of all kernels for compute capability 9.0. What it doesn't list is neither
// compiled nor planned nor found; a row added here is all of that.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include "core/dtype_traits.hpp"
#include "core/kernel_desc.hpp"

namespace carat::cuda::wgmma {

using core::accumulation;
using core::kernel_desc;
using core::kernel_schedule;
using core::operand_major;

namespace detail {

// Room for the rows while they are counted.
struct kernel_list {
    std::array<kernel_desc, 512> at{};
    std::size_t count = 0;

    constexpr void add(const kernel_desc& d) { at[count++] = d; }
};

// Types and layouts that kernels have in common.
struct family {
    dtype a_type;
    dtype b_type;
    core::accumulation accumulate = core::accumulation::native;
    operand_major a_major = operand_major::k;
    operand_major b_major = operand_major::k;

    [[nodiscard]] constexpr bool is(core::accumulation x) const { return accumulate == x; }
    [[nodiscard]] constexpr bool is_half() const { return carat::is_half(a_type); }
};

constexpr kernel_desc like(const family& f) {
    return {.arch = 90,
            .a_type = f.a_type,
            .b_type = f.b_type,
            .accumulate = f.accumulate,
            .a_major = f.a_major,
            .b_major = f.b_major,
            .block_m = 0,
            .block_n = 0};
}

// If B is N-major, a tile has whole lines of 128 bytes of its columns. A CTA's share of A or B
// begins with a swizzle atom, eight rows or columns; with 96 and 160 columns a thread has 48 and 80
// accumulators, whose eighths are not all of one length.
constexpr void add_single_tile(kernel_list& to, const family& f, int block_m, int block_n) {
    kernel_desc d = like(f);
    if (f.b_major == operand_major::mn && block_n < d.block_k()) return;
    d.block_m = block_m;
    d.block_n = block_n;
    d.most_cluster_m = block_n == 16 ? 2 : 4;
    d.most_split_k = block_n == 96 || block_n == 160 ? 4 : 8;
    d.grouped = block_n != 96 && (block_n < 128 || block_m == 128);
    to.add(d);
}

// Two CTAs with tiles below each other share B. Products of f32 data are only added to C.
constexpr void add_cooperative(kernel_list& to, const family& f, int block_n,
                               bool stream_k = false) {
    kernel_desc d = like(f);
    d.block_m = 128;
    d.block_n = block_n;
    d.schedule = kernel_schedule::cooperative;
    d.stream_k = stream_k;
    d.cluster_m = 2;
    d.glu = block_n == 256 && (f.is_half() || f.is(core::accumulation::promoted));
    to.add(d);
}

// Products of a batch: large tiles, and smaller ones each by itself, so that a product of few rows
// wastes none of a cluster.
constexpr void add_batched(kernel_list& to, const family& f) {
    for (const auto& [schedule, block_n] :
         {std::pair{kernel_schedule::cooperative, 256}, {kernel_schedule::pingpong, 128}}) {
        if (schedule == kernel_schedule::pingpong && !f.is(core::accumulation::native)) continue;
        kernel_desc d = like(f);
        d.block_m = 128;
        d.block_n = block_n;
        d.schedule = schedule;
        d.batched = true;
        d.cluster_m = block_n == 256 ? 2 : 1;
        to.add(d);
    }
}

// Three math warpgroups, and two CTAs with tiles beside each other that share A.
constexpr void add_three_warpgroups(kernel_list& to, const family& f) {
    kernel_desc d = like(f);
    d.block_m = 192;
    d.block_n = 128;
    d.schedule = kernel_schedule::cooperative;
    d.cluster_n = 2;
    to.add(d);
}

constexpr void add_pingpong(kernel_list& to, const family& f) {
    for (const bool stream_k : {false, true}) {
        kernel_desc d = like(f);
        d.block_m = 128;
        d.block_n = 128;
        d.schedule = kernel_schedule::pingpong;
        d.stream_k = stream_k;
        d.cluster_m = 2;
        d.glu = f.is_half();
        to.add(d);
    }
}

// If B is N-major, lines of 128 bytes would bring 128 columns of 16 bits.
constexpr bool has_96_columns(const family& f) {
    return f.a_type != dtype::f32 && f.b_major == operand_major::k &&
           !f.is(core::accumulation::blockwise);
}

// What every family has. A block of 128 columns with one scale would lie in two tiles of 192.
constexpr void add_tiles(kernel_list& to, const family& f) {
    for (const int block_n : {16, 32, 64})
        for (const int block_m : {64, 128}) add_single_tile(to, f, block_m, block_n);
    if (f.is_half()) add_single_tile(to, f, 64, 128);
    add_single_tile(to, f, 128, 128);
    if (has_96_columns(f)) add_single_tile(to, f, 128, 96);
    if (f.is_half()) add_single_tile(to, f, 64, 160);
    if (f.is_half()) add_cooperative(to, f, 160);
    if (!f.is(core::accumulation::blockwise)) add_cooperative(to, f, 192);
    if (f.is_half()) add_cooperative(to, f, 224);
    add_cooperative(to, f, 256);
    if (f.is_half())
        for (const int block_n : {192, 256}) add_cooperative(to, f, block_n, true);
}

constexpr void add_16_bits(kernel_list& to, dtype type) {
    for (const operand_major a : {operand_major::k, operand_major::mn})
        for (const operand_major b : {operand_major::k, operand_major::mn}) {
            const family f{type, type, core::accumulation::native, a, b};
            add_tiles(to, f);
            add_pingpong(to, f);
            add_batched(to, f);
        }
}

// wgmma reads 32-bit elements of shared memory along K only: an A along M goes through registers.
constexpr void add_32_bits(kernel_list& to) {
    for (const family& f : {family{dtype::f32, dtype::f32},
                            {dtype::f32, dtype::f32, accumulation::native, operand_major::mn},
                            {dtype::f32, dtype::f32, accumulation::three_tf32}}) {
        add_tiles(to, f);
        add_cooperative(to, f, 256, true);
    }
}

constexpr void add_8_bits(kernel_list& to) {
    const family integers{dtype::i8, dtype::i8};
    add_tiles(to, integers);
    add_pingpong(to, integers);
    add_batched(to, integers);
    for (const auto& [a, b] : {std::pair{dtype::e4m3, dtype::e4m3},
                               {dtype::e5m2, dtype::e4m3},
                               {dtype::e4m3, dtype::e5m2}}) {
        const family fast{a, b};
        add_tiles(to, fast);
        add_pingpong(to, fast);
        const family promoted{a, b, accumulation::promoted};
        add_tiles(to, promoted);
        add_three_warpgroups(to, promoted);
        add_cooperative(to, promoted, 256, true);
    }
    add_batched(to, {dtype::e4m3, dtype::e4m3});
    add_batched(to, {dtype::e4m3, dtype::e4m3, accumulation::promoted});
    const family blockwise{dtype::e4m3, dtype::e4m3, accumulation::blockwise};
    add_tiles(to, blockwise);
    add_cooperative(to, blockwise, 256, true);
}

constexpr kernel_list listed() {
    kernel_list all;
    add_16_bits(all, dtype::f16);
    add_16_bits(all, dtype::bf16);
    add_32_bits(all);
    add_8_bits(all);
    return all;
}

constexpr auto make_table() {
    constexpr kernel_list all = listed();
    std::array<kernel_desc, all.count> table{};
    std::ranges::copy_n(all.at.begin(), table.size(), table.begin());
    return table;
}

}  // namespace detail

inline constexpr auto kernel_table = detail::make_table();

/// Which operands of an element type kernels can read contiguous along M or N.
struct mn_major_operands {
    bool a = false;
    bool b = false;
};

namespace detail {

constexpr auto make_mn_major() {
    constexpr std::size_t accumulations = 4;
    static_assert(static_cast<std::size_t>(accumulation::three_tf32) + 1 == accumulations);
    std::array<core::per_dtype<mn_major_operands>, accumulations> read{};
    for (const kernel_desc& d : kernel_table) {
        auto& of = read[static_cast<std::size_t>(d.accumulate)];
        if (d.a_major == operand_major::mn) of[d.a_type].a = true;
        if (d.b_major == operand_major::mn) of[d.b_type].b = true;
    }
    return read;
}
inline constexpr auto mn_major = make_mn_major();

}  // namespace detail

[[nodiscard]] constexpr mn_major_operands mn_major_of(dtype type, core::accumulation accumulate) {
    return detail::mn_major[static_cast<std::size_t>(accumulate)][type];
}

/// The name of a row.
template <std::size_t Row>
inline constexpr core::kernel_name name_of_row{kernel_table[Row]};

/// Which file instantiates a kernel: kernels_SLICE.cu.
enum class kernel_slice : std::uint8_t {
    f16,
    bf16,
    f32,
    i8,
    fp8_fast,
    fp8_promoted,
    fp8_blockwise
};

[[nodiscard]] constexpr kernel_slice slice_of(const kernel_desc& d) {
    if (d.a_type == dtype::f16) return kernel_slice::f16;
    if (d.a_type == dtype::bf16) return kernel_slice::bf16;
    if (d.a_type == dtype::f32) return kernel_slice::f32;
    if (d.a_type == dtype::i8) return kernel_slice::i8;
    if (d.accumulate == accumulation::native) return kernel_slice::fp8_fast;
    return d.accumulate == accumulation::promoted ? kernel_slice::fp8_promoted
                                                  : kernel_slice::fp8_blockwise;
}

}  // namespace carat::cuda::wgmma
