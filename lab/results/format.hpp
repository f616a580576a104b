// What every part of the results file agrees on.
#pragma once

#include <array>
#include <cmath>
#include <limits>

namespace carat::results {

inline constexpr int schema_version = 2;

using range = std::array<double, 2>;  // [low, high]; infinite where unbounded (null in the file)

// No interval: null in the file.
inline constexpr range unbounded = {-std::numeric_limits<double>::infinity(),
                                    std::numeric_limits<double>::infinity()};

[[nodiscard]] inline bool bounded(const range& r) {
    return std::isfinite(r[0]) && std::isfinite(r[1]);
}

}  // namespace carat::results
