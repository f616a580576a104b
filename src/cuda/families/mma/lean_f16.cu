#include "cuda/families/mma/lean_instances.cuh"

namespace carat::cuda::mma {

const kernel& lean_f16(std::size_t row, bool a_along_k, bool b_along_k) {
    return lean_instance_of<f16_math>(row, a_along_k, b_along_k, "f16");
}

}  // namespace carat::cuda::mma
