// C = beta C on the GPU in use: all that remains of a product with alpha = 0 or K = 0. Vendors'
// libraries differ there, so adapters answer it themselves. beta = 0 writes zeros, reading nothing.
#pragma once

#include "core/problem.hpp"

namespace carat::cuda {

/// Starts it on stream_in_use(), for every layout and element type of C.
void scale_c(const core::problem& p, void* c);

}  // namespace carat::cuda
