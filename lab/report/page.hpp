// The page as built: template, style, scripts and Chart.js in one text, with two marks where the
// data go. Generated at build time by embed.cmake from assets/.
#pragma once

#include <string_view>

namespace carat::report {

[[nodiscard]] std::string_view page();

}  // namespace carat::report
