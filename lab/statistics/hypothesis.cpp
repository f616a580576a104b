#include "lab/statistics/hypothesis.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "lab/statistics/check.hpp"

namespace carat::statistics {

hypothesis describe_anova(std::span<const std::string> names, std::string_view quantity) {
    detail::require(!names.empty(), "names are empty: give at least one implementation");
    return {fmt::format("H0: the mean {} is the same for {}.", quantity, fmt::join(names, ", ")),
            fmt::format("H1: at least one of them has another mean {}.", quantity)};
}

}  // namespace carat::statistics
