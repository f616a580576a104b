// The rows that the files of this folder define, one a step.
#pragma once

#include "lab/rows/implementation.hpp"

namespace carat::ladder::cuda {

extern const rows::implementation naive;
extern const rows::implementation coalesced;
extern const rows::implementation tiled;
extern const rows::implementation register_tiled;
extern const rows::implementation vectorised;
extern const rows::implementation double_buffered;
extern const rows::implementation warp_tiled;
extern const rows::implementation wmma;
extern const rows::implementation wmma_shared;
extern const rows::implementation wmma_converted;

}  // namespace carat::ladder::cuda
