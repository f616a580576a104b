// What every part of the results file agrees on.
#pragma once

#include <array>

namespace carat::results {

inline constexpr int schema_version = 2;

using range = std::array<double, 2>;  // [low, high]; infinite where unbounded (null in the file)

}  // namespace carat::results
