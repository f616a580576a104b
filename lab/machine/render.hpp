// The machine and its peaks as text of at most 80 columns, for `carat info`.
#pragma once

#include <string>
#include <string_view>

#include "lab/machine/peaks.hpp"

namespace carat::machine {

[[nodiscard]] std::string render(const description& machine);

// "label   words words", wrapped between words and indented; a single word longer than a line is
// cut.
[[nodiscard]] std::string row(std::string_view label, std::string_view text);

// Includes the tables of compute peaks and bandwidths.
[[nodiscard]] std::string render(const description& machine, const peaks& limits);

}  // namespace carat::machine
