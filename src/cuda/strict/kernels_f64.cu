#include "cuda/strict/dmma.cuh"
#include "cuda/strict/kernel.cuh"
#include "cuda/strict/kernels.hpp"

namespace carat::cuda::strict {

namespace {

template <operand_major A, operand_major B>
std::span<const kernel<double>> all() {
    static const kernel<double> them[] = {
        kernel_with<config<dmma<A, B, 2, 4>, 2, 2, 2>>("simt_f64_64x64"),
        kernel_with<config<dmma<A, B, 4, 2>, 2, 4, 1>>("simt_f64_128x64"),
        kernel_with<config<dmma<A, B, 3, 4>, 2, 4, 1>>("simt_f64_96x128"),
        kernel_with<config<dmma<A, B, 4, 4>, 2, 4, 1>>("simt_f64_128x128")};
    return them;
}

}  // namespace

std::span<const kernel<double>> f64_kernels(operand_major a, operand_major b) {
    using enum operand_major;
    if (a == along_k) return b == along_k ? all<along_k, along_k>() : all<along_k, across>();
    return b == along_k ? all<across, along_k>() : all<across, across>();
}

}  // namespace carat::cuda::strict
