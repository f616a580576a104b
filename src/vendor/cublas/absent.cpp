// The module in a build without CUDA.
#include "vendor/cublas/table.hpp"

namespace carat::vendor::cublas {

core::table table() {
    return {};
}

}  // namespace carat::vendor::cublas
