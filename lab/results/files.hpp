// Results on disk. A file is replaced whole or not at all, so an interrupted run leaves the last
// state that was complete, and a reader never sees half of one.
#pragma once

#include <filesystem>
#include <string>

#include "lab/results/document.hpp"

namespace carat::results {

// Throws carat::error when a file can't be created there; leaves nothing behind. For saying so
// before hours of measuring instead of after.
void require_writable(const std::filesystem::path& path);

// Writes beside `path` first and renames; a link stays one, and pipes and devices are written to.
// Throws carat::error; `path` is then as it was.
void write_whole(const std::filesystem::path& path, const std::string& text);

// Whether writing one would replace the other. Neither needs to exist; false for pipes and devices.
[[nodiscard]] bool same_file(const std::filesystem::path& a, const std::filesystem::path& b);

// Throws carat::error naming the file when it is absent, not JSON or not a results file.
[[nodiscard]] document load(const std::filesystem::path& path);

// One row per trial, with a header; fields as in docs/results.md.
[[nodiscard]] std::string csv(const document& doc);

}  // namespace carat::results
