// The registry of families of kernels, a row each. Adding one adds a folder of src/cuda/families
// and a row here.
//
//     scale        any GPU; nothing to multiply
//     gemv         any GPU
//     wgmma, fma   compute capability 9.0: their instructions are Hopper's own
//     mma          7.5 and later
//
// Where neither wgmma nor fma runs, or CARAT_FORCE_FAMILY=mma says so, mma answers for everything
// that the first two don't take.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cuda/common/family.hpp"

namespace carat::gpu_engine {

[[nodiscard]] std::span<const cuda::family* const> families();

/// Those with kernels for such a GPU.
[[nodiscard]] std::vector<const cuda::family*> families_on(const cuda::device_facts& gpu);

/// The same of the device in use. @throws carat::error as forces_mma().
[[nodiscard]] std::span<const cuda::family* const> families_in_use();

/// The one in use that answers for what is asked of such a call.
[[nodiscard]] const cuda::family& answering(const core::gpu_call& call);

/// The one in use that multiplies groups in one launch; null: none does.
[[nodiscard]] const cuda::family* grouping_family();

/// What a value of CARAT_FORCE_FAMILY says; null or empty: nothing.
/// @throws carat::error(invalid_argument) for any value but mma.
[[nodiscard]] bool forces_mma(const char* value);

/// Why no kernel multiplies elements of this type on the device in use; empty where one does.
[[nodiscard]] std::string reason_against_device(const core::gpu_call& call);

}  // namespace carat::gpu_engine
