// Reserves the name of a file that does not exist yet. A lock needs a file, and an empty one would
// be taken for results. So the reservation is a socket bound in Linux's abstract namespace to the
// folder and name; it is on no disk and ends with the process.
#pragma once

#include <filesystem>

namespace carat::files {

/// Returns false if another process has reserved `target`; true if such a socket cannot be made.
[[nodiscard]] bool reserve(const std::filesystem::path& target);

}  // namespace carat::files
