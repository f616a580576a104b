// The rows of the CPU engine: what the library itself would choose, and each instruction set alone.
#pragma once

#include "lab/rows/catalogue.hpp"

namespace carat::rows::cpu {

[[nodiscard]] rows::table table();

}  // namespace carat::rows::cpu
