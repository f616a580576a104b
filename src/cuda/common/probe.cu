#include "cuda/common/probe.hpp"

namespace carat::cuda {

namespace {

__global__ void probe() {}

}  // namespace

cudaError_t load_probe() {
    cudaFuncAttributes unused{};
    return cudaFuncGetAttributes(&unused, probe);
}

int compiled_for() {
    cudaFuncAttributes found{};
    return cudaFuncGetAttributes(&found, probe) == cudaSuccess ? found.ptxVersion : 0;
}

}  // namespace carat::cuda
