// The vendors' libraries as catalogue entries. None is linked: each is opened when first asked for,
// so one binary serves machines that have all, some or none of them.
#pragma once

#include "lab/rows/catalogue.hpp"

namespace carat::vendor {

[[nodiscard]] rows::table vendor_table();

}  // namespace carat::vendor
