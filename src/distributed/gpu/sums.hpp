// Sums of parts in a GPU's memory: the kernels behind gpu_place::add() and finish(). A build
// without CUDA refuses them (absent.cpp).
#pragma once

#include "distributed/gpu/driver.hpp"
#include "distributed/place.hpp"

namespace carat::distributed::gpu {

void add(const block& sums, const block& part, stream on);
void finish(const block& to, const block& sums, double alpha, double beta, const block& c,
            stream on);

}  // namespace carat::distributed::gpu
