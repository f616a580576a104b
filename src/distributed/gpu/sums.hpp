// Sums of parts in a GPU's memory: the kernels behind gpu_place::add() and finish(). A build
// without CUDA refuses them (absent.cpp).
#pragma once

#include <span>

#include "distributed/gpu/driver.hpp"
#include "distributed/place.hpp"

namespace carat::distributed::gpu {

void add(const block& sums, const block& part, stream on);
// Does what place::finish() says, with at most so many parts.
inline constexpr std::size_t most_parts = 7;
void finish(const block& to, const block& sums, std::span<const block> parts, double alpha,
            double beta, const block& c, stream on);

}  // namespace carat::distributed::gpu
