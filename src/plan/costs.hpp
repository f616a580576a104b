// The GPUs that launches were fitted on (costs/*.json), and those that follow from them.
#pragma once

#include "plan/costs/h200.hpp"

namespace carat::plan {

// HBM3 is read at 0.67 of HBM3e's rate, and an SM gets 67 GB/s from L2 where it gets 90 on an
// H200.
inline constexpr gpu_costs costs_of_h100 =
    fed_otherwise(costs_of_h200, {.l2 = 0.744, .memory = 0.67});

}  // namespace carat::plan
