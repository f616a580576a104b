// How long a launch takes, whatever the family of its kernel: one roofline over waves of CTAs. A
// family counts what its launch has to do (launch_work), and time_of() turns that into seconds.
#pragma once

namespace carat::fit {

/// What a launch does. Seconds are those of one CTA that has its SM to itself.
struct launch_work {
    double ctas = 0;    // all of them; in a persistent kernel the tiles
    double places = 0;  // CTAs that the GPU runs at a time with one on each SM
    int on_sm = 1;      // CTAs that an SM holds
    bool is_persistent = false;
    bool shares_last_wave = false;  // stream-K cuts its tiles along K in even shares

    double steps = 0;         // along K
    double step_math_s = 0;   // an SM's units take for a step
    double step_floor_s = 0;  // the least a step takes: latency over stages, and barriers
    double step_bytes = 0;    // from L2 for a step
    double fill_s = 0;        // until the first operands have come
    double tile_s = 0;        // after the last step: sums meet and C is stored
    double hidden_share = 0;  // of tile_s, behind the next tile of a persistent kernel

    double memory_bytes = 0;  // A, B, E and C, each once
    double launch_s = 0;      // a kernel's beginning and end, among many on a stream
    double once_s = 0;        // once a launch: clusters, groups that meet
    double ahead_s = 0;       // packing, before the kernel
};

/// How CTAs and memory share the GPU.
struct sharing_costs {
    double l2_bytes_per_s = 0;      // to all SMs
    double l2_bytes = 0;            // that stay in L2 from one launch to the next
    double memory_bytes_per_s = 0;  // for what doesn't stay there
    double seen_share = 0;          // of fill_s and tile_s, beside other CTAs of an SM
    double alone_factor = 1;        // on a CTA's steps while others fill or store
};

/// Seconds.
[[nodiscard]] double time_of(const launch_work& work, const sharing_costs& costs);

}  // namespace carat::fit
