// The room in a build without CUDA: no rows.
#include "cuda/sm90/table.hpp"

namespace carat::cuda::sm90 {

core::table table() {
    return {};
}

}  // namespace carat::cuda::sm90
