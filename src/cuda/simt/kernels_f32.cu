#include "cuda/simt/ffma.cuh"
#include "cuda/simt/kernel.cuh"
#include "cuda/simt/kernels.hpp"

namespace carat::cuda::simt {

namespace {

template <operand_major A>
std::span<const kernel<float>> small() {
    static const kernel<float> them[] = {
        kernel_with<config<ffma<4, 4, 8, A>, 2, 2, 4>>("simt_f32_64x32"),
        kernel_with<config<ffma<8, 8, 4, A>, 4, 1, 2>>("simt_f32_128x64")};
    return them;
}

std::span<const kernel<float>> large() {
    static const kernel<float> them[] = {
        kernel_with<config<ffma<16, 8, 4>, 2, 2, 2>>("simt_f32_128x128"),
        kernel_with<config<ffma<16, 8, 4>, 4, 2, 1>>("simt_f32_256x128")};
    return them;
}

}  // namespace

std::span<const kernel<float>> f32_kernels(bool of_small_tiles, operand_major a) {
    if (!of_small_tiles) return large();
    return a == operand_major::k ? small<operand_major::k>() : small<operand_major::mn>();
}

}  // namespace carat::cuda::simt
