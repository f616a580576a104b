// The GPUs and their peaks as text of at most 80 columns, for `carat info`.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "lab/machine/peaks.hpp"

namespace carat::gpu {

/// `description` as describe() has it.
[[nodiscard]] std::string render(const nlohmann::json& description);

/// Tables of peaks and bandwidths, beside what the maker of the GPU with this name publishes.
[[nodiscard]] std::string render(const machine::peaks& limits, std::string_view gpu_name);

/// That there is none, and why.
[[nodiscard]] std::string render_absence(int device);

}  // namespace carat::gpu
