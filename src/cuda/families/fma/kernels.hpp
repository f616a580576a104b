// The kernels of the table (kernel_table.hpp), compiled.
#pragma once

#include <string>

#include "cuda/families/fma/arguments.hpp"
#include "cuda/families/fma/kernel_table.hpp"

namespace carat::cuda::fma {

/// A kernel's name, which no other has: fma_f64_128x64_kn has B contiguous along N,
/// fma_f32_128x128_turned takes operands that lie in any way and fma_f32_128x128_straight
/// row-major ones.
[[nodiscard]] inline std::string name_of(const kernel_desc& d, operand_major a, operand_major b) {
    const std::string tile = "fma_" + std::string(name(d.type)) + "_" +
                             std::to_string(d.block_m()) + "x" + std::to_string(d.block_n());
    if (d.arrives == plan::arrival::turned) return tile + "_turned";
    if (d.arrives == plan::arrival::straight) return tile + "_straight";
    return tile + (a == operand_major::k ? "_k" : "_m") + (b == operand_major::k ? "k" : "n");
}

/// The kernel of a row for operands that lie so.
template <class T>
[[nodiscard]] const kernel<T>& kernel_of(std::size_t row, operand_lines a, operand_lines b);
/// The same of a row that turns its operands, or reads them straight.
[[nodiscard]] const kernel<float>& turned_kernel_of(std::size_t row);
[[nodiscard]] const kernel<float>& straight_kernel_of(std::size_t row);
[[nodiscard]] const kernel<double>& straight_f64_kernel_of(std::size_t row, operand_lines a,
                                                           operand_lines b);

template <>
const kernel<float>& kernel_of<float>(std::size_t row, operand_lines a, operand_lines b);
template <>
const kernel<double>& kernel_of<double>(std::size_t row, operand_lines a, operand_lines b);

}  // namespace carat::cuda::fma
