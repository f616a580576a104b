// The module in a build without CUDA.
#include "ladder/cuda/table.hpp"

namespace carat::ladder::cuda {

core::table table() {
    return {};
}

}  // namespace carat::ladder::cuda
