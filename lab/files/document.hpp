// JSON files for code that also changes and writes them, by nlohmann's parser. The library itself
// reads JSON with tree.hpp.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace carat::files {

/// @throws carat::error(invalid_argument) naming `name`: not JSON, or nested deeper than
/// most_levels.
[[nodiscard]] nlohmann::json parse(const std::string& text, const std::string& name);

/// `value` with every text and name in it made visible.
[[nodiscard]] nlohmann::json with_visible_texts(nlohmann::json value);

}  // namespace carat::files
