// The machine and its ceilings as text of at most 80 columns, for `carat info`.
#pragma once

#include <string>

#include "lab/machine/ceilings.hpp"

namespace carat::machine {

[[nodiscard]] std::string render(const description& machine);

// With the tables of compute peaks and bandwidths.
[[nodiscard]] std::string render(const description& machine, const ceilings& limits);

}  // namespace carat::machine
