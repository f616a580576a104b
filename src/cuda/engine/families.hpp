// Which families of kernels multiply on the device in use:
//
//     wgmma, fma   compute capability 9.0: their instructions are Hopper's own
//     mma          8.0 and later
//     gemv         8.0 and later, beside either
//
// Where wgmma's kernels run they do, with fma's and mma's for what suits those better; elsewhere,
// or where CARAT_FORCE_FAMILY=mma says so, mma's multiply everything.
#pragma once

#include <string>

#include <carat/types.hpp>

namespace carat::gpu_engine {

/// What a value of CARAT_FORCE_FAMILY says; null or empty: nothing.
/// @throws carat::error(invalid_argument) for any value but mma.
[[nodiscard]] bool forces_mma(const char* value);

/// What CARAT_FORCE_FAMILY says, read once. @throws as forces_mma().
[[nodiscard]] bool is_mma_forced();

/// Why kernels of mma can't multiply elements of this type on a GPU of such a compute capability
/// (86 for 8.6); empty where they can.
[[nodiscard]] std::string reason_against_mma(dtype element, int compute_capability);

/// Why the code that this build holds for the GPU multiplies no such elements: compiled for an
/// older one it would be empty. Empty where it does.
[[nodiscard]] std::string reason_against_code(dtype element, int compiled_for);

}  // namespace carat::gpu_engine
