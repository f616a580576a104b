// What was asked of the data, in words a reader can check.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace carat::statistics {

struct hypothesis {
    std::string null;         // "H0: ..."
    std::string alternative;  // "H1: ..."
};

/// Hypotheses of Welch's ANOVA over the named groups. `quantity` is what was measured, for
/// instance "time". @throws std::invalid_argument when there is no name.
hypothesis describe_anova(std::span<const std::string> names, std::string_view quantity);

}  // namespace carat::statistics
