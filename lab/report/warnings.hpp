// What a reader must know before trusting the figures: refused results first, then what weakens the
// run, then what explains it.
#pragma once

#include <string>
#include <vector>

#include "lab/results/document.hpp"

namespace carat::report {

// What other processes may take of the processors' time while results are timed; more is told.
inline constexpr double tolerable_other_work = 0.1;

struct warning {
    std::string level;  // "error": no figure or wrong work; "warning": weaker; "note": to know
    std::string text;
};

// Most serious first; empty when there is nothing to say.
[[nodiscard]] std::vector<warning> warnings(const results::document& doc);

}  // namespace carat::report
