// Every file that carat reads and may not have written: results, tables of tuned ways, what was
// kept of the machine. Such files are not trusted. A pipe in place of a file must not hold the
// program up, nor may one without end fill the memory or one nested without end the stack.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

namespace carat::files {

inline constexpr std::size_t most_bytes = std::size_t{256} << 20U;
inline constexpr int most_levels = 64;  // of lists and objects in each other; ours have ten

enum class kind { regular, or_pipe };

/// What a file holds. A pipe is waited for until a signal arrives, where it is allowed at all.
/// @throws carat::error(invalid_argument) naming the file: it isn't there, can't be opened, is of
/// another kind or larger than most_bytes.
[[nodiscard]] std::string read(const std::filesystem::path& file, kind allowed = kind::regular);

/// @throws carat::error(invalid_argument) naming `name`: not JSON, or nested deeper than
/// most_levels.
[[nodiscard]] nlohmann::json parse(const std::string& text, const std::string& name);

/// `value` with every text and name in it made visible.
[[nodiscard]] nlohmann::json with_visible_texts(nlohmann::json value);

}  // namespace carat::files
