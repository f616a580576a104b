// The folder for this user's caches.
#pragma once

#include <filesystem>

namespace carat::core {

/// $XDG_CACHE_HOME/carat, else ~/.cache/carat; empty when the environment names neither.
[[nodiscard]] std::filesystem::path cache_directory();

}  // namespace carat::core
