// The kernels of the table (kernel_table.hpp), compiled: one entry for each row.
#pragma once

#include <span>

#include "cuda/families/wgmma/arguments.hpp"
#include "cuda/families/wgmma/kernel_table.hpp"

namespace carat::cuda::wgmma {

/// Those of one slice of the table, in its order: instantiated by the file of that name.
template <kernel_slice Slice>
[[nodiscard]] std::span<const kernel> kernels_of();

template <>
std::span<const kernel> kernels_of<kernel_slice::f16>();
template <>
std::span<const kernel> kernels_of<kernel_slice::bf16>();
template <>
std::span<const kernel> kernels_of<kernel_slice::f32>();
template <>
std::span<const kernel> kernels_of<kernel_slice::i8>();
template <>
std::span<const kernel> kernels_of<kernel_slice::fp8_fast>();
template <>
std::span<const kernel> kernels_of<kernel_slice::fp8_promoted>();
template <>
std::span<const kernel> kernels_of<kernel_slice::fp8_blockwise>();

/// The compiled kernel of a row of kernel_table.
[[nodiscard]] const kernel& kernel_of(const kernel_desc& row);

}  // namespace carat::cuda::wgmma
