// Reads every file that carat may not have written: results, tuning tables, cached machine data.
// Such files are not trusted: a pipe must not block the program, an endless file must not fill the
// memory, and deep nesting must not overflow the stack.
#pragma once

#include <filesystem>
#include <string>

namespace carat::files {

inline constexpr std::size_t most_bytes = std::size_t{256} << 20U;
inline constexpr int most_levels = 64;  // of lists and objects in each other; ours have ten

enum class kind { regular, or_pipe };

/// The contents of a file. Waits for a pipe until a signal arrives, if pipes are allowed.
/// @throws carat::error(invalid_argument) naming the file if it is missing, cannot be opened, is of
/// another kind, or is larger than most_bytes.
[[nodiscard]] std::string read(const std::filesystem::path& file, kind allowed = kind::regular);

/// The message of both JSON parsers for a text that they refuse.
[[noreturn]] void fail_for_depth(const std::string& name);
[[noreturn]] void fail_for_syntax(const std::string& name);

}  // namespace carat::files
