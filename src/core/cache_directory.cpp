#include "core/cache_directory.hpp"

#include <cstdlib>

namespace carat::core {

std::filesystem::path cache_directory() {
    const auto variable = [](const char* name) -> std::filesystem::path {
        const char* value = std::getenv(name);
        return value == nullptr ? "" : value;
    };
    // The XDG specification says that relative paths here are invalid and must be ignored.
    if (const std::filesystem::path cache = variable("XDG_CACHE_HOME"); cache.is_absolute())
        return cache / "carat";
    if (const std::filesystem::path home = variable("HOME"); home.is_absolute())
        return home / ".cache/carat";
    return {};
}

}  // namespace carat::core
