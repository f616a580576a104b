// The laboratory's interface to GPUs: which exist, which is in use, its memory and clock, and its
// description for the results file. A build without CUDA has none and gives that as the reason.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/execution_space.hpp"
#include "lab/gpu/nvml.hpp"

namespace carat::gpu {

/// GPUs that the driver offers.
[[nodiscard]] int count();

/// Why nothing can be computed on `device`, in one line with the remedy; empty when it can.
[[nodiscard]] std::string unavailable(int device);

/// The GPU that products run on: the one selected, else CARAT_CUDA_DEVICE, else 0.
[[nodiscard]] int in_use();

/// @throws carat::error(unsupported) with the reason unavailable() gives; so does space().
void select(int device);

/// Memory of a GPU and its clock, taken by events on the stream that products run on.
[[nodiscard]] core::execution_space& space(int device);

/// Gives back the context that asking whether the GPU in use can be used has made in this process;
/// not where its space was taken since.
void leave();

/// Of an unavailable GPU it reads nothing.
[[nodiscard]] monitor monitor_of(int device);

/// The element of "gpus" in docs/results.md; null when the GPU is unavailable.
[[nodiscard]] nlohmann::json describe(int device);

}  // namespace carat::gpu
