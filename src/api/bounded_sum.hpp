// Whether a sum of steps can lie in a range, each step taken up to a number of times of its own:
//
//     low <= t1 step1 + t2 step2 + t3 step3 + t4 step4 <= high,   0 <= ti <= most_i
//
// The difference between an address in one strided view and one in another is such a sum.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace carat::api {

struct repeated_step {
    std::int64_t step;  // none is negative
    std::int64_t most;
};

struct bounds {
    std::int64_t low;
    std::int64_t high;
};

// Exact if no sum of all steps exceeds 2^62. Views of one matrix take a few divisions; two
// different steps take one Euclidean algorithm; otherwise it takes as many of these as the longest
// step fits in the range.
[[nodiscard]] bool can_reach(const std::array<repeated_step, 4>& steps, bounds range);

}  // namespace carat::api
