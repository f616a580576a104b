// Reading the small text files of /proc, /sys and control groups; a missing file reads as empty.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace carat::machine {

// The first line, or "".
[[nodiscard]] std::string read_line(const std::filesystem::path& file);

// A number that is not negative, optionally with the suffix K, M or G (powers of 1024); 0 if
// unreadable.
[[nodiscard]] std::int64_t parse_number(std::string_view text);

}  // namespace carat::machine
