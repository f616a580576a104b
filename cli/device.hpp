// --device: where groups and short names look for implementations, and which GPU is used.
#pragma once

#include <optional>
#include <string>

#include "lab/rows/implementation.hpp"

namespace carat::cli {

inline constexpr const char* device_help =
    "cpu, cuda, cuda:N (the N-th GPU) or all; short names mean the CPU's otherwise";

// The device that `text` restricts to; nothing for "all". "cuda:1" selects that GPU.
// Throws carat::error with the reason and the remedy when there is no such device.
[[nodiscard]] std::optional<rows::device> choose_device(const std::string& text);

}  // namespace carat::cli
