// What the values of options must be. CLI11's own checks let NaN through and its numbers wrap
// around or stop at the ends of their type without a word.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>

namespace carat::cli {

[[nodiscard]] CLI::Validator number(double least, double most);
[[nodiscard]] CLI::Validator not_negative();

[[nodiscard]] CLI::Validator whole_number(
    std::uint64_t least, std::uint64_t most = std::numeric_limits<std::uint64_t>::max());

// Not empty, as "$UNSET" is in a shell: the results would go nowhere.
[[nodiscard]] CLI::Validator file_name();

// The same of patterns.
[[nodiscard]] CLI::Validator pattern();

// The same of thread counts: left out, they are all cores.
[[nodiscard]] CLI::Validator thread_counts();

}  // namespace carat::cli
