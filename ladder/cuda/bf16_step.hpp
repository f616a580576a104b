// What it takes for a plan of steps 11 to 20 to be a prepared product.
#pragma once

#include <memory>
#include <string>

#include "lab/rows/implementation.hpp"
#include "ladder/cuda/steps.hpp"

namespace carat::ladder::cuda {

// Why such a kernel cannot compute `p`; empty when it can.
[[nodiscard]] std::string unsupported_bf16(const core::problem& p, gpu_needs needs);

// Why a step that stores C by TMA cannot: rows that end between 16 bytes would be stored beyond
// their ends.
[[nodiscard]] std::string unsupported_tma_store(const core::problem& p);

[[nodiscard]] std::unique_ptr<rows::runnable> prepare_bf16(const char* name, const core::problem& p,
                                                           const bf16_plan& plan);

}  // namespace carat::ladder::cuda
