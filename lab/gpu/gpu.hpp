// The laboratory's interface to GPUs: which exist, which is in use, its memory and clock, and its
// description for the results file. A build without CUDA has none and gives that as the reason.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "lab/gpu/nvml.hpp"
#include "lab/space/execution_space.hpp"

namespace carat::gpu {

/// The number of GPUs that the driver offers.
[[nodiscard]] int count();

/// Why nothing can be computed on `device`, in one line with the remedy; empty if it can.
[[nodiscard]] std::string unavailable(int device);

/// The GPU on which products run: the selected one, else CARAT_CUDA_DEVICE, else 0.
[[nodiscard]] int in_use();

/// @throws carat::error(unsupported) with the reason unavailable() gives; so does space().
void select(int device);

/// A GPU's memory and its clock, read by events on the stream of products.
[[nodiscard]] space::execution_space& space(int device);

/// Releases the context that checking the current GPU has created in this process, unless its space
/// has been used since.
void leave();

/// Reads nothing from an unavailable GPU.
[[nodiscard]] monitor monitor_of(int device);

/// The element of "gpus" in docs/results.md; null if the GPU is unavailable.
[[nodiscard]] nlohmann::json describe(int device);

}  // namespace carat::gpu
