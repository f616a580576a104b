// Files that carat writes. Each is replaced whole or not at all, so an interrupted run leaves the
// last complete state, and a reader never sees half of one. Two runs cannot share a file: a run
// locks the file it writes, and locks each new state before that takes the name, so nothing but the
// file is left behind. For one thread.
#pragma once

#include <filesystem>
#include <string>

namespace carat::files {

/// Finds problems before hours of measuring instead of after. Creates no file, and refuses other
/// runs the same output until this process ends.
/// @throws carat::error(invalid_argument) if a file cannot be created or replaced there, or another
/// run holds it.
void require_writable(const std::filesystem::path& path);

/// Replaces the file; a link stays and its target is replaced; pipes and devices are written to.
/// @throws carat::error(invalid_argument) and leaves `path` as it was.
void write_whole(const std::filesystem::path& path, const std::string& text);

/// The target of links: the file that is replaced, beside which a run may have others.
[[nodiscard]] std::filesystem::path target_of(std::filesystem::path path);

/// A pipe, a terminal, /dev/null: written to, never replaced.
[[nodiscard]] bool is_stream(const std::filesystem::path& path);

/// Whether writing one would replace the other. Neither need exist; false for pipes and devices.
[[nodiscard]] bool same_file(const std::filesystem::path& a, const std::filesystem::path& b);

}  // namespace carat::files
