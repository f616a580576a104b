// Everything carat can run: the tables of all modules, joined. This is the one place that names
// them.
#pragma once

#include "core/catalogue.hpp"

namespace carat::lab {

[[nodiscard]] const core::catalogue& catalogue();

}  // namespace carat::lab
