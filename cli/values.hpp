// --dtype and --distribution: what the elements of A and B are; and --device.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "lab/rows/implementation.hpp"
#include "lab/workload/workload.hpp"

namespace carat::cli {

inline constexpr const char* dtype_help =
    "f64, f32, f16, bf16 (double, float, half, bfloat16), e4m3, e5m2, i32, i8, u8";

void add_distribution_flag(CLI::App& sub, std::string& text);

// What `text` says; where it says nothing, what suits all of `types`: uniform(0,1) would leave
// integers 0 and 1 alone, which hide sums that overflow and cost a GPU less power than others.
[[nodiscard]] workload::distribution values_of(const std::string& text,
                                               const std::vector<dtype>& types);

// --device: where groups and short names look for implementations, and which GPU is used.
inline constexpr const char* device_help =
    "cpu, cuda, cuda:N (the N-th GPU) or all; short names mean the CPU's otherwise";

// The device that `text` restricts to; nothing for "all". "cuda:1" selects that GPU.
// Throws carat::error with the reason and the remedy when there is no such device.
[[nodiscard]] std::optional<rows::device> choose_device(const std::string& text);

}  // namespace carat::cli
