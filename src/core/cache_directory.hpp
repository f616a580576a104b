// Where this user's programs keep what they can do without.
#pragma once

#include <filesystem>

namespace carat::core {

/// $XDG_CACHE_HOME/carat, else ~/.cache/carat; empty when the environment names neither.
[[nodiscard]] std::filesystem::path cache_directory();

}  // namespace carat::core
