#include "ladder/cuda/step.hpp"

#include <cmath>
#include <limits>

#include "cuda/common/device.hpp"

namespace carat::ladder::cuda {

namespace {

bool is_int32(double value) {
    return std::trunc(value) == value && value >= std::numeric_limits<std::int32_t>::min() &&
           value <= std::numeric_limits<std::int32_t>::max();
}

}  // namespace

std::string unsupported_problem(const core::problem& p, std::int64_t blocks, int least_capability) {
    const int own = carat::cuda::describe(carat::cuda::device_in_use()).compute_capability;
    if (own < least_capability)
        return "it needs compute capability " + std::to_string(least_capability) +
               " and this GPU has " + std::to_string(own) + ": take another implementation";
    if (is_integer(p.c_type) && !(is_int32(p.alpha) && is_int32(p.beta)))
        return "alpha and beta must be 32-bit integers for " + std::string(name(p.c_type)) +
               ": they are " + std::to_string(p.alpha) + " and " + std::to_string(p.beta);
    constexpr std::int64_t most_blocks = std::numeric_limits<std::int32_t>::max();
    if (blocks > most_blocks)
        return "C has " + std::to_string(blocks) + " tiles and a grid at most " +
               std::to_string(most_blocks) + " blocks: take a larger tile";
    return {};
}

}  // namespace carat::ladder::cuda
