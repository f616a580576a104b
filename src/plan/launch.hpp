// How long one launch takes, whatever the family of its kernel: one roofline over waves of CTAs. A
// family says what its launch has to do (launch_work), by constants of its own; here that becomes
// time. Single products, batches, groups and `explain` use it alike.
#pragma once

#include <algorithm>
#include <cstdint>

namespace carat::plan {

/// What is stored of a tile, whose runs of contiguous elements come in whole sectors of 32 bytes.
[[nodiscard]] inline double stored_bytes(std::int64_t runs, std::int64_t run_elements,
                                         int element_bytes) {
    constexpr std::int64_t sector = 32;
    const std::int64_t run = (run_elements * element_bytes + sector - 1) / sector * sector;
    return static_cast<double>(runs * run);
}

/// What a launch does, counted. Seconds are those of one CTA that has its SM to itself.
struct launch_work {
    double ctas = 0;    // all of them; of a persistent kernel the tiles
    double places = 0;  // CTAs that the GPU runs at a time with one on each SM
    int on_sm = 1;      // CTAs that an SM holds
    bool is_persistent = false;
    bool shares_last_wave = false;  // stream-K: its tiles are cut along K in even shares

    double steps = 0;           // along K
    double step_math_s = 0;     // of the SM's units for a step, which are full
    double step_alone_s = 0;    // of them for the only CTA of an SM, if it can't fill them
    double step_arrival_s = 0;  // of a step's operands into an SM, multicast ones included
    double step_floor_s = 0;    // a step's least: latency over what the pipeline holds, barriers
    double step_bytes = 0;      // from L2 for a step
    double fill_s = 0;          // until the first operands have come
    double tile_s = 0;          // after the last step: sums meet, and C leaves

    double memory_bytes = 0;  // of A, B, E and C, each once
    double left_bytes = 0;    // of those, what packing left in L2
    double launch_s = 0;      // a kernel's beginning and end, of many on a stream
    double once_s = 0;        // what comes once a launch: clusters, groups that meet
    double ahead_s = 0;       // packing, before the kernel
};

/// How launches are fed, and what they do to each other.
struct feeding_costs {
    double l2_bytes_per_s = 0;      // to all SMs
    double l2_bytes = 0;            // of a launch that stay from one to the next
    double memory_bytes_per_s = 0;  // of what doesn't
    double busy_share = 0;          // by which units are slower where all SMs multiply
    double crowded_s = 0;           // of a launch that leaves the next one's CTAs no room
};

/// The same of kernels whose CTAs share SMs.
struct sharing_costs {
    double l2_bytes_per_s = 0;
    double l2_bytes = 0;
    double memory_bytes_per_s = 0;
    double busy_share = 0;
    double crowded_s = 0;
    double seen_share = 0;    // of fill_s and tile_s beside other CTAs of an SM
    double alone_factor = 1;  // on a CTA's steps while others fill or store
};

[[nodiscard]] constexpr sharing_costs sharing_nothing(const feeding_costs& of) {
    return {of.l2_bytes_per_s, of.l2_bytes, of.memory_bytes_per_s, of.busy_share, of.crowded_s};
}

/// The share of so many bytes that comes from memory, where others were used since the last time.
[[nodiscard]] inline double missing_share(double bytes, double l2_bytes) {
    return l2_bytes <= 0 ? 1 : std::clamp(bytes / l2_bytes - 1, 0.0, 1.0);
}

/// Where the seconds go.
struct launch_time {
    double waves = 0;
    double at_once = 0;   // CTAs
    double math_s = 0;    // of the units, in all waves
    double l2_s = 0;      // of operands on their way from L2, in all waves
    double memory_s = 0;  // of bytes beyond L2
    double waits_s = 0;   // beyond the longest of those three: latency, and what overlaps badly
    double tiles_s = 0;   // beyond all of them: filling, meeting, storing
    double launch_s = 0;
    double once_s = 0;
    double ahead_s = 0;
    double seconds = 0;
};

[[nodiscard]] launch_time time_of(const launch_work& work, const sharing_costs& costs);

}  // namespace carat::plan
