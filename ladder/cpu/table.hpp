// The CPU ladder's rows of the catalogue, in the order of the steps.
#pragma once

#include "lab/rows/catalogue.hpp"

namespace carat::ladder::cpu {

[[nodiscard]] rows::table table();

}  // namespace carat::ladder::cpu
