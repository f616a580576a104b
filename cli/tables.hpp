// Results as text of at most 80 columns.
#pragma once

#include <span>
#include <string>

#include "cli/not_run.hpp"
#include "lab/results/document.hpp"

namespace carat::cli {

// The ranking of one case: medians with their intervals, the share of the roofline, the factor to
// the best and the verdict on each against the one ranked before it; then what libraries say of
// their kernels, and what did not run and why.
[[nodiscard]] std::string ranking(std::span<const results::result> results,
                                  const results::comparison& compared, bool all_pairs,
                                  told_so_far& told);

}  // namespace carat::cli
