// What every kernel needs before its first launch.
#pragma once

#include "core/implementation.hpp"

namespace carat::cuda {

/// Loads `kernel` onto the device in use and grants it the shared memory, beyond what it declares.
/// What it takes is returned.
[[nodiscard]] core::kernel_facts load_kernel(const char* name, const void* kernel, int threads,
                                             int shared_bytes);

}  // namespace carat::cuda
