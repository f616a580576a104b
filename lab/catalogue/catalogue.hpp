// Everything carat can run: the tables of all modules, joined. This is the one place that names
// them.
#pragma once

#include "lab/rows/catalogue.hpp"

namespace carat::lab {

[[nodiscard]] const rows::catalogue& catalogue();

}  // namespace carat::lab
