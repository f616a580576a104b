// What a cell tells of its GPU, as text.
#pragma once

#include <span>
#include <string>

#include "lab/results/document.hpp"

namespace carat::cli {

// Of `carat run`: a line on the GPU while the trials ran, and one for each kernel; empty where
// nothing is known.
[[nodiscard]] std::string gpu_lines(const results::cell& c);

// Of `carat bench`: a table of the ranked cells that ran on a GPU; empty without one.
[[nodiscard]] std::string gpu_table(std::span<const results::cell> cells);

}  // namespace carat::cli
