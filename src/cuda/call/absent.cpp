// The room in a build without CUDA.
#include <carat/error.hpp>

#include "cuda/call/call.hpp"
#include "cuda/common/device.hpp"

namespace carat::cuda_call {

void multiply(const place&, const product&, std::span<const core::operands>) {
    throw error(error_code::unsupported, cuda::unavailable_in_use());
}

void multiply_group(const place&, std::span<const member>, const detail::finish_steps*) {
    throw error(error_code::unsupported, cuda::unavailable_in_use());
}

}  // namespace carat::cuda_call
