// How many SMs of the GPU in use a product may take: all but those that the thread leaves to other
// work (carat/leave_sms.hpp). Every family plans for so many, and grids whose CTAs stay on their
// SMs have no more.
#pragma once

namespace carat::cuda {

/// At least 1. @throws carat::error(unsupported) when the device is unavailable.
[[nodiscard]] int sms_for_products();

}  // namespace carat::cuda
