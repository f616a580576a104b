#include "cuda/families/mma/instances.cuh"
#include "cuda/families/mma/multistage_kernels.hpp"
#include "cuda/families/mma/multistage_math.cuh"

namespace carat::cuda::mma {

namespace {

using e4m3 = ptx::mma_m16n8<__nv_fp8_e4m3>;

}  // namespace

const kernel& multistage_fp8_fast(std::size_t row, bool a_is_e5m2) {
    return a_is_e5m2 ? instance_of<fp8_fast<mma_e5m2_e4m3>, double_tiles>(row, "e5m2_fast")
                     : instance_of<fp8_fast<e4m3>, double_tiles>(row, "e4m3_fast");
}

const kernel& multistage_fp8_promoted(std::size_t row, bool a_is_e5m2) {
    return a_is_e5m2 ? instance_of<fp8_promoted<mma_e5m2_e4m3>, double_tiles>(row, "e5m2")
                     : instance_of<fp8_promoted<e4m3>, double_tiles>(row, "e4m3");
}

const kernel& multistage_fp8_blocks(std::size_t row) {
    return instance_of<fp8_blocks<e4m3>, double_tiles>(row, "e4m3_blocks");
}

}  // namespace carat::cuda::mma
