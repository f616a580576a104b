// Preconditions, shared by every file of the module. Internal: callers never include this.
#pragma once

#include <fmt/format.h>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace carat::statistics::detail {

/// Throws one clear line unless `holds`.
template <class... Values>
void require(bool holds, fmt::format_string<Values...> message, Values&&... values) {
    if (holds) return;
    throw std::invalid_argument(fmt::format(message, std::forward<Values>(values)...));
}

/// Confidence levels, alphas and tails: strictly between 0 and 1.
inline void require_open_unit(double value, std::string_view name) {
    require(value > 0 && value < 1, "{} is {:g}: give a number between 0 and 1", name, value);
}

}  // namespace carat::statistics::detail
