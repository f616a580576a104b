// What launches cost on one GPU, as numbers with a unit and a meaning each: measured and fitted by
// `./dev fit`, kept in costs/GPU.json, and generated from there. A family's are at most 25.
#pragma once

#include <array>
#include <string_view>

#include "plan/launch.hpp"

namespace carat::plan {

/// A constant of the struct Costs, for the fit, the file and people.
template <class Costs>
struct constant {
    std::string_view name;
    std::string_view unit;
    std::string_view meaning;
    double Costs::*at;
};

/// Kernels of wgmma: a step is a k-block, 128 bytes of K.
struct wgmma_costs {
    double host_s;
    double launch_s;
    double roomy_launch_s;
    double persistent_launch_s;
    double fill_s;
    double column_s;
    double more_columns;
    double pingpong_factor;
    double promoted_factor;
    double three_tf32_factor;
    double latency_s;
    double least_step_s;
    double off_sectors_factor;
    double stored_bytes_per_s;
    double stored_odd_factor;
    double added_bytes_per_s;
    double pingpong_seen_share;
    double sent_bytes_per_s;
    double sharing_s;
    double stream_k_s;
    double l2_bytes_per_s;
    double l2_bytes;
    double memory_bytes_per_s;
    double seen_share;
    double alone_factor;

    [[nodiscard]] constexpr sharing_costs sharing() const {
        return {l2_bytes_per_s, l2_bytes, memory_bytes_per_s, seen_share, alone_factor};
    }
    static constexpr auto constants();
};

constexpr auto wgmma_costs::constants() {
    using c = constant<wgmma_costs>;
    using w = wgmma_costs;
    return std::array{
        c{"host_s", "s", "no launch takes less, as the host starts them no faster", &w::host_s},
        c{"launch_s", "s", "a launch of single tiles, of many on a stream", &w::launch_s},
        c{"roomy_launch_s", "s", "one that leaves SMs room for the next one's CTAs",
          &w::roomy_launch_s},
        c{"persistent_launch_s", "s", "a launch of persistent tiles", &w::persistent_launch_s},
        c{"fill_s", "s", "until a CTA's first operands have come", &w::fill_s},
        c{"column_s", "s", "a k-block of 128 rows by one column", &w::column_s},
        c{"more_columns", "columns", "that a tile takes beyond its own", &w::more_columns},
        c{"pingpong_factor", "", "on the k-blocks of pingpong tiles", &w::pingpong_factor},
        c{"promoted_factor", "", "on k-blocks of promoted or scaled sums", &w::promoted_factor},
        c{"three_tf32_factor", "", "on those of 3xTF32", &w::three_tf32_factor},
        c{"latency_s", "s", "from a copy's start to its end", &w::latency_s},
        c{"least_step_s", "s", "a k-block however small it is", &w::least_step_s},
        c{"off_sectors_factor", "", "on the bytes of lines between sectors of 32 bytes",
          &w::off_sectors_factor},
        c{"stored_bytes_per_s", "bytes/s", "of C, by a CTA", &w::stored_bytes_per_s},
        c{"stored_odd_factor", "", "on storing rows that begin between 16 bytes",
          &w::stored_odd_factor},
        c{"added_bytes_per_s", "bytes/s", "of E, by the threads of persistent tiles",
          &w::added_bytes_per_s},
        c{"pingpong_seen_share", "", "of storing, beside another tile", &w::pingpong_seen_share},
        c{"sent_bytes_per_s", "bytes/s", "of sums to the CTAs that split K", &w::sent_bytes_per_s},
        c{"sharing_s", "s", "for each single tile beyond the first that shares B, a launch",
          &w::sharing_s},
        c{"stream_k_s", "s", "sums on their way to the next CTA, a launch", &w::stream_k_s},
        c{"l2_bytes_per_s", "bytes/s", "from L2 to all SMs", &w::l2_bytes_per_s},
        c{"l2_bytes", "bytes", "that stay in L2 between launches", &w::l2_bytes},
        c{"memory_bytes_per_s", "bytes/s", "of what doesn't stay there", &w::memory_bytes_per_s},
        c{"seen_share", "", "of filling and storing beside other CTAs of an SM", &w::seen_share},
        c{"alone_factor", "", "on a CTA's steps while others fill or store", &w::alone_factor}};
}

/// Packing operands before a kernel, both in one launch.
struct packing_costs {
    double launch_s;
    double transposing_launch_s;
    double bytes_per_s;
    double transposed_bytes_per_s;
    double memory_bytes_per_s;
    double l2_bytes;

    static constexpr auto constants();
};

constexpr auto packing_costs::constants() {
    using c = constant<packing_costs>;
    using p = packing_costs;
    return std::array{
        c{"launch_s", "s", "a launch that packs lines as they are", &p::launch_s},
        c{"transposing_launch_s", "s", "one that also turns lines into columns",
          &p::transposing_launch_s},
        c{"bytes_per_s", "bytes/s", "read and written, of lines as they are", &p::bytes_per_s},
        c{"transposed_bytes_per_s", "bytes/s", "read and written, of those that are turned",
          &p::transposed_bytes_per_s},
        c{"memory_bytes_per_s", "bytes/s", "of what doesn't stay in L2, in addition",
          &p::memory_bytes_per_s},
        c{"l2_bytes", "bytes", "that stay in L2", &p::l2_bytes}};
}

/// What is copied before a product.
struct packed_first {
    double bytes = 0;             // read and written, of lines as they are
    double transposed_bytes = 0;  // and of lines that become columns
};

[[nodiscard]] double seconds_of(const packed_first& packing, const packing_costs& costs);

/// Kernels of mma.sync that read operands where they lie, of one arithmetic: a step is a k-tile.
struct mma_costs {
    double launch_s;
    double fill_s;
    double flop_per_s;
    double small_tile;
    double copied_bytes_per_s;
    double eight_bytes_factor;
    double single_factor;
    double step_s;
    double stored_bytes_per_s;
    double stored_odd_factor;
    double added_factor;
    double l2_bytes_per_s;
    double l2_bytes;
    double memory_bytes_per_s;
    double seen_share;
    double alone_factor;

    [[nodiscard]] constexpr sharing_costs sharing() const {
        return {l2_bytes_per_s, l2_bytes, memory_bytes_per_s, seen_share, alone_factor};
    }
    static constexpr auto constants();
};

constexpr auto mma_costs::constants() {
    using c = constant<mma_costs>;
    using m = mma_costs;
    return std::array{
        c{"launch_s", "s", "a launch, of many on a stream", &m::launch_s},
        c{"fill_s", "s", "a CTA's beginning and first loads", &m::fill_s},
        c{"flop_per_s", "flop/s", "of an SM", &m::flop_per_s},
        c{"small_tile", "elements", "by which the sides of a tile count as shorter",
          &m::small_tile},
        c{"copied_bytes_per_s", "bytes/s", "to a tile in shared memory, 16 bytes a copy",
          &m::copied_bytes_per_s},
        c{"eight_bytes_factor", "", "on copies each time they are halved", &m::eight_bytes_factor},
        c{"single_factor", "", "on copies of single elements", &m::single_factor},
        c{"step_s", "s", "a k-tile however small it is", &m::step_s},
        c{"stored_bytes_per_s", "bytes/s", "of C, by a CTA", &m::stored_bytes_per_s},
        c{"stored_odd_factor", "", "on storing runs that begin between 16 bytes",
          &m::stored_odd_factor},
        c{"added_factor", "", "on storing where E is added", &m::added_factor},
        c{"l2_bytes_per_s", "bytes/s", "from L2 to all SMs", &m::l2_bytes_per_s},
        c{"l2_bytes", "bytes", "that stay in L2 between launches", &m::l2_bytes},
        c{"memory_bytes_per_s", "bytes/s", "of what doesn't stay there", &m::memory_bytes_per_s},
        c{"seen_share", "", "of filling and storing beside other CTAs of an SM", &m::seen_share},
        c{"alone_factor", "", "on a CTA's steps while others fill or store", &m::alone_factor}};
}

/// Kernels of FFMA or DMMA, of one type: a step is a k-tile.
struct fma_costs {
    double launch_s;
    double fill_s;
    double flop_per_s;
    double step_s;
    double stored_bytes_per_s;
    double stored_odd_factor;
    double meeting_s;
    double sent_bytes_per_s;
    double groups_s;
    double passed_bytes_per_s;
    double added_bytes_per_s;
    double l2_bytes_per_s;
    double l2_bytes;
    double memory_bytes_per_s;
    double seen_share;
    double alone_factor;

    [[nodiscard]] constexpr sharing_costs sharing() const {
        return {l2_bytes_per_s, l2_bytes, memory_bytes_per_s, seen_share, alone_factor};
    }
    static constexpr auto constants();
};

constexpr auto fma_costs::constants() {
    using c = constant<fma_costs>;
    using f = fma_costs;
    return std::array{
        c{"launch_s", "s", "a launch, of many on a stream", &f::launch_s},
        c{"fill_s", "s", "until a CTA's first operands have come", &f::fill_s},
        c{"flop_per_s", "flop/s", "of an SM at its peak", &f::flop_per_s},
        c{"step_s", "s", "a k-tile however small it is", &f::step_s},
        c{"stored_bytes_per_s", "bytes/s", "of C, by a CTA", &f::stored_bytes_per_s},
        c{"stored_odd_factor", "", "on storing rows that begin between 16 bytes",
          &f::stored_odd_factor},
        c{"meeting_s", "s", "CTAs of a cluster that meet, for each", &f::meeting_s},
        c{"sent_bytes_per_s", "bytes/s", "of sums within a cluster", &f::sent_bytes_per_s},
        c{"groups_s", "s", "groups that meet, a launch", &f::groups_s},
        c{"passed_bytes_per_s", "bytes/s", "of sums left for the last group",
          &f::passed_bytes_per_s},
        c{"added_bytes_per_s", "bytes/s", "of those, added up by it", &f::added_bytes_per_s},
        c{"l2_bytes_per_s", "bytes/s", "from L2 to all SMs", &f::l2_bytes_per_s},
        c{"l2_bytes", "bytes", "that stay in L2 between launches", &f::l2_bytes},
        c{"memory_bytes_per_s", "bytes/s", "of what doesn't stay there", &f::memory_bytes_per_s},
        c{"seen_share", "", "of filling and storing beside other CTAs of an SM", &f::seen_share},
        c{"alone_factor", "", "on a CTA's steps while others fill or store", &f::alone_factor}};
}

/// All families on one GPU.
struct gpu_costs {
    double memory_bytes_per_s;  // read, as it was measured where these were fitted
    wgmma_costs wgmma;
    packing_costs packing;
    mma_costs mma_half;
    mma_costs mma_f64;
    mma_costs mma_tf32;
    mma_costs mma_f32;
    fma_costs fma_f32;
    fma_costs fma_f64;
};

}  // namespace carat::plan
