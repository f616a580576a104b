// Finds constants: by Levenberg-Marquardt on the logarithms of times, in which differences between
// plans of one product count in full and their mean a little; then down the slope of what the
// chosen plans lose.
#pragma once

#include <vector>

#include "benchmarks/fit/corpus.hpp"

namespace carat::fit {

void fit(plan::gpu_costs& costs, const std::vector<const measured_product*>& to);

}  // namespace carat::fit
