// How long a candidate takes, as one of many products on a stream.
#pragma once

#include "plan/gemm_candidates.hpp"

namespace carat::plan {

/// Rows or columns so few that a product is a stream of weights.
[[nodiscard]] bool is_thin(const gemm_request& of, const gemm_costs& costs);

/// Stages of its pipeline that fit into its part of an SM's shared memory.
[[nodiscard]] double stages_that_fit(const candidate& c, const gemm_costs& costs);

/// What a k-block takes of a CTA that is alone on its SM, or one of two.
[[nodiscard]] double k_block_s(const candidate& c, const gemm_request& of, const gemm_costs& costs,
                               bool alone);

[[nodiscard]] double seconds(const candidate& c, const gemm_request& of, const gemm_costs& costs,
                             bool glu);

}  // namespace carat::plan
