// Reading the small text files of /proc, /sys and control groups; a missing file reads as empty.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace carat::machine {

// The first line, or "".
[[nodiscard]] std::string read_line(const std::filesystem::path& file);

// A number that is not negative, with K, M or G of 1024 at its end; 0 when it can't be read.
[[nodiscard]] std::int64_t parse_number(std::string_view text);

}  // namespace carat::machine
