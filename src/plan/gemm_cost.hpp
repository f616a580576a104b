// What a candidate has to do, and how long that takes it as one of many products on a stream.
#pragma once

#include "plan/gemm_candidates.hpp"
#include "plan/launch.hpp"

namespace carat::plan {

inline constexpr int line_bytes = 128;  // of K: one k-block

/// Columns of B that are loaded for a tile: beside each other they come in whole lines.
[[nodiscard]] double columns_loaded(const candidate& c);

/// CTAs that registers let an SM hold of a kernel.
[[nodiscard]] int most_ctas_per_sm(const core::kernel_desc& k);

/// Stages of a pipeline that fit into a CTA's part of an SM's shared memory (wgmma/config.hpp).
[[nodiscard]] int stages_that_fit(const core::kernel_desc& k, int split_k, int ctas_per_sm);

/// Stages that a CTA needs where it shares an SM: a consumer keeps one while it waits for the next,
/// so a pipeline of a single stage never ends. A stage of 3xTF32 holds three products.
[[nodiscard]] constexpr int fewest_stages(core::accumulation sums) {
    return sums == core::accumulation::three_tf32 ? 2 : 3;
}

/// Clusters of a stream-K kernel that share out so few tiles; as many as there are tiles where the
/// sums would wait longer for each other than that saves. Pingpong and promoted sums, which have no
/// registers left to add others, share only what fills the GPU.
[[nodiscard]] std::int64_t clusters_that_share(const core::kernel_desc& k, std::int64_t tiles,
                                               std::int64_t k_blocks, std::int64_t at_once);

/// How its CTAs share the GPU.
[[nodiscard]] sharing_costs sharing_of(const core::kernel_desc& k, const gpu_costs& costs);

/// `glu`: C has half of the columns that are multiplied.
[[nodiscard]] launch_work work_of(const candidate& c, const gemm_request& of,
                                  const gpu_costs& costs, bool glu = false);

[[nodiscard]] inline double seconds(const candidate& c, const gemm_request& of,
                                    const gpu_costs& costs, bool glu = false) {
    return time_of(work_of(c, of, costs, glu), sharing_of(*c.kernel, costs)).seconds;
}

}  // namespace carat::plan
