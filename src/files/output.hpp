// Files that carat writes. Each is replaced whole or not at all, so an interrupted run leaves the
// last complete state, and a reader never sees half of one. Two runs cannot share a file: a run
// locks the file it writes, and locks each new state before that takes the name, so nothing but the
// file is left behind. For one thread.
#pragma once

#include <filesystem>
#include <string>

namespace carat::files {

/// For saying so before hours of measuring instead of after: makes no file, and from here to the
/// end of this process other runs are refused the same output.
/// @throws carat::error(invalid_argument) where a file can't be created or replaced there, or
/// another run holds it.
void require_writable(const std::filesystem::path& path);

/// A link stays one, and what it leads to is replaced; pipes and devices are written to.
/// @throws carat::error(invalid_argument); `path` is then as it was.
void write_whole(const std::filesystem::path& path, const std::string& text);

/// What links lead to: the file that is replaced, beside which others of a run may lie.
[[nodiscard]] std::filesystem::path target_of(std::filesystem::path path);

/// A pipe, a terminal, /dev/null: written to, never replaced.
[[nodiscard]] bool is_stream(const std::filesystem::path& path);

/// Whether writing one would replace the other. Neither needs to exist; false for pipes and
/// devices.
[[nodiscard]] bool same_file(const std::filesystem::path& a, const std::filesystem::path& b);

}  // namespace carat::files
