// Results as text of at most 80 columns.
#pragma once

#include <set>
#include <span>
#include <string>

#include "lab/results/document.hpp"

namespace carat::cli {

// Why implementations did not run, as far as the reader has been told.
using reasons_told = std::set<std::string>;

// The ranking of one case: medians with their intervals, the share of the roofline, the factor to
// the best and the verdict on each against the one ranked before it; then what did not run and why.
[[nodiscard]] std::string ranking(std::span<const results::result> results,
                                  const results::comparison& compared, bool all_pairs,
                                  reasons_told& told);

}  // namespace carat::cli
