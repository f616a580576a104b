// A product as plans for register tiles see it.
#pragma once

#include "core/problem.hpp"
#include "plan/cpu_plan.hpp"

namespace carat::cpu_engine {

// The stride of a single row or column means nothing and decides nothing.
[[nodiscard]] core::problem turned(const core::problem& p, bool swapped);

// `p` has been turned. `out_of_place`: C cannot hold the sums. `finishes`: by an epilogue.
[[nodiscard]] plan::request request_of(const core::problem& p, bool out_of_place, bool finishes,
                                       int threads, const plan::blocking& wanted);

}  // namespace carat::cpu_engine
