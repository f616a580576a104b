// The CPU engine's rows: the library's own choice, and each instruction set alone.
#pragma once

#include "lab/rows/catalogue.hpp"

namespace carat::rows::cpu {

[[nodiscard]] rows::table table();

}  // namespace carat::rows::cpu
