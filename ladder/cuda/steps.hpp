// The rows that the files of this folder define, one a step.
#pragma once

#include "core/implementation.hpp"

namespace carat::ladder::cuda {

extern const core::implementation naive;
extern const core::implementation coalesced;
extern const core::implementation tiled;
extern const core::implementation register_tiled;
extern const core::implementation vectorised;
extern const core::implementation double_buffered;
extern const core::implementation warp_tiled;
extern const core::implementation wmma;
extern const core::implementation wmma_shared;
extern const core::implementation wmma_converted;

}  // namespace carat::ladder::cuda
