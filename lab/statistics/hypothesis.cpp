// See hypothesis.hpp.
#include "lab/statistics/hypothesis.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "lab/statistics/check.hpp"

namespace carat::statistics {

namespace {

std::string level_in_words(double alpha, std::string_view family) {
    return fmt::format(
        "alpha = {:g}: H0 is rejected when p < {:g}; if H0 were true, that would happen in at most "
        "{:g} % of {}.",
        alpha, alpha, 100 * alpha, family);
}

}  // namespace

hypothesis describe_anova(std::span<const std::string> names, std::string_view quantity,
                          double alpha) {
    detail::require(!names.empty(), "names are empty: give at least one implementation");
    detail::require_open_unit(alpha, "alpha");
    return {fmt::format("H0: the mean {} is the same for {}.", quantity, fmt::join(names, ", ")),
            fmt::format("H1: at least one of them has another mean {}.", quantity),
            level_in_words(alpha, "repetitions of this experiment")};
}

hypothesis describe_pair(std::string_view first, std::string_view second, std::string_view quantity,
                         double alpha) {
    detail::require_open_unit(alpha, "alpha");
    return {fmt::format("H0: the mean {} of {} and of {} is the same.", quantity, first, second),
            fmt::format("H1: the mean {} of {} and of {} differs.", quantity, first, second),
            level_in_words(alpha, "repetitions, over all pairs together")};
}

std::string describe_decision(double p, double alpha) {
    detail::require_open_unit(alpha, "alpha");
    if (p < alpha) return fmt::format("p = {:.3g} < alpha = {:g}: H0 is rejected.", p, alpha);
    return fmt::format("p = {:.3g} >= alpha = {:g}: H0 is not rejected, which does not prove it.",
                       p, alpha);
}

}  // namespace carat::statistics
