// --dtype and --distribution: what the elements of A and B are.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "lab/workload/workload.hpp"

namespace carat::cli {

inline constexpr const char* dtype_help =
    "f64, f32, f16, bf16 (double, float, half, bfloat16), e4m3, e5m2, i32, i8, u8";

void add_distribution_flag(CLI::App& sub, std::string& text);

// What `text` says; where it says nothing, what suits all of `types`: uniform(0,1) would leave
// integers 0 and 1 alone, which hide sums that overflow and cost a GPU less power than others.
[[nodiscard]] workload::distribution values_of(const std::string& text,
                                               const std::vector<dtype>& types);

}  // namespace carat::cli
