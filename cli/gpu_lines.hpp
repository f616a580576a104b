// What a result tells of its GPU, as text.
#pragma once

#include <span>
#include <string>

#include "lab/results/document.hpp"

namespace carat::cli {

// What `carat run` says of the GPU while the trials ran, and a line for each kernel; empty where
// nothing is known.
[[nodiscard]] std::string gpu_lines(const results::result& c);

// A table for `carat bench` of the ranked results that ran on a GPU; empty without one.
[[nodiscard]] std::string gpu_table(std::span<const results::result> results);

}  // namespace carat::cli
