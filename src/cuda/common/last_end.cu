#include "cuda/common/error.hpp"
#include "cuda/common/kernel.hpp"
#include "cuda/common/last_end.hpp"
#include "cuda/common/ragged.cuh"

namespace carat::cuda {

namespace {

__global__ void __launch_bounds__(32) last_end_kernel(int* to, ragged_ends of) {
    const ragged_part behind = ragged_part_of(of, 1, of.count);
    if (threadIdx.x == 0) *to = behind.end;
}

}  // namespace

void load_last_end() {
    load(last_end_kernel);
}

void write_last_end(int* to, const ragged_ends& of, cudaStream_t stream) {
    last_end_kernel<<<1, 32, 0, stream>>>(to, of);
    CARAT_CUDA_CHECK(cudaGetLastError());
}

}  // namespace carat::cuda
