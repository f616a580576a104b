// The name of a file that isn't there yet, kept for one process: a lock needs a file, and an empty
// one would be taken for results. The reservation is a socket bound in Linux's abstract namespace
// to the folder and the name, which is on no disk and goes with the process.
#pragma once

#include <filesystem>

namespace carat::files {

/// False where another process has reserved `target`; true where there is no such socket to be had.
[[nodiscard]] bool reserve(const std::filesystem::path& target);

}  // namespace carat::files
