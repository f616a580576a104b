// The table of all fma kernels. What it doesn't list is neither compiled nor planned nor found; a
// row added here is all of that, once for each layout that its operands may have.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "core/kernel_desc.hpp"
#include "plan/fma_tile.hpp"

namespace carat::cuda::fma {

using core::operand_major;

struct kernel_desc {
    dtype type;  // f32 or f64
    // f32: accumulators of a lane, down and across; f64: instructions of a warp
    int thread_m;
    int thread_n;
    int lanes_m;  // f32: rows of lanes in a warp
    int warps_m;
    int warps_n;
    int ctas_per_sm;
    int most_cluster;  // CTAs that share K
    double share;      // of the peak that an SM full of such tiles reaches
    double alone;      // of that, one CTA on an SM
    // Lines that begin anywhere are turned (turner.cuh; f32) or read straight (straight.cuh and
    // straight_f64.cuh).
    plan::arrival arrives = plan::arrival::ready;

    [[nodiscard]] constexpr bool is_f64() const { return type == dtype::f64; }
    [[nodiscard]] constexpr int block_m() const {
        return warps_m * thread_m * (is_f64() ? 16 : lanes_m);
    }
    [[nodiscard]] constexpr int block_n() const {
        return warps_n * thread_n * (is_f64() ? 8 : 32 / lanes_m);
    }
    [[nodiscard]] constexpr int block_k() const { return is_f64() ? 16 : 8; }

    // Every row reads MN-major operands. With many f32 sums a lane has no registers left to read
    // four k at a time.
    [[nodiscard]] constexpr plan::lying reads() const {
        if (arrives != plan::arrival::ready) return plan::lying::between_16_bytes;
        return is_f64() || thread_m * thread_n <= 64 ? plan::lying::along_k : plan::lying::across_k;
    }
    // What lanes of some kernel of the row see in shared memory.
    [[nodiscard]] constexpr bool has_kernel_for(operand_major a, operand_major b) const {
        return reads() == plan::lying::along_k ||
               (a == operand_major::mn && b == operand_major::mn);
    }

    [[nodiscard]] constexpr plan::fma_way tile() const {
        return {{block_m(), block_n(), block_k(), ctas_per_sm, most_cluster, share, alone, reads()},
                arrives};
    }
};

/// Rows of one type go from the smallest tile to the largest, first those that need aligned lines
/// or turn others, then those that read lines straight.
inline constexpr std::array kernel_table = {
    // type, thread_m and _n, lanes_m, warps_m and _n, ctas_per_sm, most_cluster, share, alone
    kernel_desc{dtype::f32, 4, 4, 8, 2, 2, 4, 1, 0.609, 0.549},
    kernel_desc{dtype::f32, 8, 8, 4, 2, 1, 4, 4, 0.659, 0.463},
    kernel_desc{dtype::f32, 8, 4, 8, 2, 2, 2, 2, 0.430, 0.600, plan::arrival::turned},
    kernel_desc{dtype::f32, 8, 8, 4, 1, 2, 3, 4, 0.400, 0.800, plan::arrival::turned},
    kernel_desc{dtype::f32, 8, 8, 4, 4, 1, 2, 4, 0.728, 0.867},
    kernel_desc{dtype::f32, 8, 8, 4, 4, 1, 2, 4, 0.610, 0.700, plan::arrival::turned},
    kernel_desc{dtype::f32, 8, 8, 4, 2, 2, 2, 4, 0.620, 0.700, plan::arrival::turned},
    kernel_desc{dtype::f32, 12, 8, 4, 2, 2, 2, 2, 0.844, 0.851},
    kernel_desc{dtype::f32, 12, 8, 4, 2, 2, 2, 2, 0.700, 0.740, plan::arrival::turned},
    kernel_desc{dtype::f32, 8, 12, 4, 4, 1, 2, 2, 0.700, 0.740, plan::arrival::turned},
    kernel_desc{dtype::f32, 16, 8, 4, 2, 2, 2, 8, 0.782, 0.926},
    kernel_desc{dtype::f32, 16, 8, 4, 2, 2, 2, 8, 0.730, 0.800, plan::arrival::turned},
    kernel_desc{dtype::f32, 12, 8, 4, 4, 2, 1, 2, 0.873, 1.000},
    kernel_desc{dtype::f32, 16, 8, 4, 4, 2, 1, 8, 0.836, 1.000},
    kernel_desc{dtype::f32, 4, 4, 2, 4, 1, 4, 4, 0.520, 0.700, plan::arrival::straight},
    kernel_desc{dtype::f32, 8, 4, 4, 4, 1, 4, 8, 0.630, 0.760, plan::arrival::straight},
    kernel_desc{dtype::f32, 8, 4, 2, 4, 1, 4, 8, 0.640, 0.760, plan::arrival::straight},
    kernel_desc{dtype::f32, 8, 4, 1, 4, 1, 4, 8, 0.650, 0.780, plan::arrival::straight},
    kernel_desc{dtype::f32, 8, 8, 4, 4, 1, 3, 8, 0.650, 0.780, plan::arrival::straight},
    kernel_desc{dtype::f32, 8, 8, 2, 4, 1, 3, 8, 0.660, 0.780, plan::arrival::straight},
    kernel_desc{dtype::f32, 16, 4, 4, 4, 1, 2, 8, 0.700, 0.860, plan::arrival::straight},
    kernel_desc{dtype::f32, 12, 8, 2, 4, 1, 2, 8, 0.740, 0.840, plan::arrival::straight},
    kernel_desc{dtype::f32, 16, 8, 2, 4, 1, 2, 8, 0.750, 0.820, plan::arrival::straight},
    kernel_desc{dtype::f64, 2, 2, 1, 2, 2, 2, 8, 0.805, 0.700},
    kernel_desc{dtype::f64, 1, 4, 1, 2, 2, 2, 8, 0.917, 0.543},
    kernel_desc{dtype::f64, 2, 4, 1, 2, 2, 2, 8, 1.000, 0.663},
    kernel_desc{dtype::f64, 4, 2, 1, 2, 4, 1, 8, 0.959, 1.000},
    kernel_desc{dtype::f64, 3, 4, 1, 2, 4, 1, 8, 0.993, 1.000},
    kernel_desc{dtype::f64, 4, 4, 1, 2, 4, 1, 8, 1.000, 1.000},
    kernel_desc{dtype::f64, 1, 2, 1, 2, 2, 6, 4, 0.314, 0.607, plan::arrival::straight},
    kernel_desc{dtype::f64, 2, 2, 1, 2, 2, 4, 8, 0.445, 0.607, plan::arrival::straight},
    kernel_desc{dtype::f64, 1, 4, 1, 2, 2, 4, 8, 0.543, 0.673, plan::arrival::straight},
    kernel_desc{dtype::f64, 2, 4, 1, 2, 2, 4, 8, 0.675, 0.459, plan::arrival::straight},
    kernel_desc{dtype::f64, 2, 4, 1, 4, 2, 2, 8, 0.832, 0.867, plan::arrival::straight},
    kernel_desc{dtype::f64, 2, 4, 1, 2, 4, 2, 8, 1.000, 0.845, plan::arrival::straight}};

namespace detail {

template <dtype Type>
constexpr auto tiles = [] {
    constexpr auto count =
        static_cast<std::size_t>(std::ranges::count(kernel_table, Type, &kernel_desc::type));
    std::array<plan::fma_way, count> all{};
    std::size_t at = 0;
    for (const kernel_desc& row : kernel_table)
        if (row.type == Type) all[at++] = row.tile();
    return all;
}();

}  // namespace detail

/// What a plan chooses from.
[[nodiscard]] inline std::span<const plan::fma_way> tiles_of(dtype type) {
    if (type == dtype::f64) return detail::tiles<dtype::f64>;
    return detail::tiles<dtype::f32>;
}

/// Where the type's rows begin, which are in the order of tiles_of().
[[nodiscard]] constexpr std::size_t first_row_of(dtype type) {
    return static_cast<std::size_t>(std::ranges::find(kernel_table, type, &kernel_desc::type) -
                                    kernel_table.begin());
}

}  // namespace carat::cuda::fma
