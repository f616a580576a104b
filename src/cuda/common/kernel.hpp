// What every kernel needs before its first launch.
#pragma once

#include "core/implementation.hpp"

namespace carat::cuda {

/// Loads `kernel` onto the device in use and grants it the shared memory, beyond what it declares.
/// What it takes is returned. A kernel whose products take different amounts is granted the most
/// of them, `granted_bytes`, each time: a smaller grant, made for one product on one thread, would
/// have the launch of another product fail.
[[nodiscard]] core::kernel_facts load_kernel(const char* name, const void* kernel, int threads,
                                             int shared_bytes, int granted_bytes);
[[nodiscard]] inline core::kernel_facts load_kernel(const char* name, const void* kernel,
                                                    int threads, int shared_bytes) {
    return load_kernel(name, kernel, threads, shared_bytes, shared_bytes);
}

}  // namespace carat::cuda
