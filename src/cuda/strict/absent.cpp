// The room in a build without CUDA: nothing that the rows of sm90, absent as well, would ask for.
#include <carat/error.hpp>

#include "cuda/common/device.hpp"
#include "cuda/strict/product.hpp"

namespace carat::cuda::strict {

std::unique_ptr<core::runnable> prepare(const core::problem&, const wishes&) {
    throw error(error_code::unsupported, unavailable_in_use());
}

}  // namespace carat::cuda::strict
