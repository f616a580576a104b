// The CPU ladder's rows of the catalogue, in the order of the steps.
#pragma once

#include "core/catalogue.hpp"

namespace carat::ladder::cpu {

[[nodiscard]] core::table table();

}  // namespace carat::ladder::cpu
