// Few columns as dot products, beyond those that takes_dot_products knows (cpu_plan.hpp).
#pragma once

#include <cstdint>

#include "plan/cpu_plan.hpp"

namespace carat::plan {

inline constexpr int most_dot_columns = 32;

// Whether more than most_skinny_columns do better so than in tiles whose vectors they fill: where
// these would leave an eighth of their lanes idle, and B or the packed A doesn't stay near.
[[nodiscard]] bool takes_more_dot_products(std::int64_t lines, std::int64_t few, std::int64_t k,
                                           int element_bytes, int vector_bytes, const machine& on);

}  // namespace carat::plan
