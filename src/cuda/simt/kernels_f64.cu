#include "cuda/simt/dmma.cuh"
#include "cuda/simt/kernel.cuh"
#include "cuda/simt/kernels.hpp"

namespace carat::cuda::simt {

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
    if (a == k) return b == k ? all<k, k>() : all<k, mn>();
    return b == k ? all<mn, k>() : all<mn, mn>();
}

}  // namespace carat::cuda::simt
