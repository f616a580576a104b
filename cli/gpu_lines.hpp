// What a result tells of its GPU, as text.
#pragma once

#include <span>
#include <string>

#include "lab/results/document.hpp"

namespace carat::cli {

// Of `carat run`: a line on the GPU while the trials ran, and one for each kernel; empty where
// nothing is known.
[[nodiscard]] std::string gpu_lines(const results::result& c);

// Of `carat bench`: a table of the ranked results that ran on a GPU; empty without one.
[[nodiscard]] std::string gpu_table(std::span<const results::result> results);

}  // namespace carat::cli
