// The room in a build without CUDA: it takes nothing.
#include "cuda/vector/product.hpp"

namespace carat::cuda::vector {

bool takes(const core::problem&) {
    return false;
}

std::unique_ptr<core::runnable> prepare(const core::problem&) {
    return nullptr;
}

}  // namespace carat::cuda::vector
