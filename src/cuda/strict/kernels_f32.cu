#include "cuda/strict/ffma.cuh"
#include "cuda/strict/kernel.cuh"
#include "cuda/strict/kernels.hpp"

namespace carat::cuda::strict {

std::span<const kernel<float>> f32_kernels() {
    static const kernel<float> all[] = {
        kernel_with<config<ffma<16, 8, 4>, 2, 2, 2>>("strict_f32_128x128"),
        kernel_with<config<ffma<16, 8, 4>, 4, 2, 1>>("strict_f32_256x128")};
    return all;
}

}  // namespace carat::cuda::strict
