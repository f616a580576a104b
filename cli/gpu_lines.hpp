// What a result tells of its GPU, as text.
#pragma once

#include <string>

#include "lab/results/document.hpp"

namespace carat::cli {

// What `carat run` says of the GPU while the trials ran, and a line for each kernel; empty where
// nothing is known.
[[nodiscard]] std::string gpu_lines(const results::result& c);

}  // namespace carat::cli
