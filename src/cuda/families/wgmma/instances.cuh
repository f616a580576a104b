// Instantiates a slice of the table of kernels.
#pragma once

#include <array>
#include <utility>

#include "cuda/families/wgmma/kernel.cuh"
#include "cuda/families/wgmma/kernels.hpp"

namespace carat::cuda::wgmma {

namespace detail {

// What wgmma multiplies, by the types of A and B.
template <dtype A, dtype B>
struct mma_element;
template <>
struct mma_element<dtype::f16, dtype::f16> {
    using type = __half;
};
template <>
struct mma_element<dtype::bf16, dtype::bf16> {
    using type = __nv_bfloat16;
};
template <>
struct mma_element<dtype::f32, dtype::f32> {
    using type = ptx::tf32;
};
template <>
struct mma_element<dtype::i8, dtype::i8> {
    using type = std::int8_t;
};
template <>
struct mma_element<dtype::e4m3, dtype::e4m3> {
    using type = __nv_fp8_e4m3;
};
template <>
struct mma_element<dtype::e5m2, dtype::e4m3> {
    using type = ptx::e5m2_by_e4m3;
};
template <>
struct mma_element<dtype::e4m3, dtype::e5m2> {
    using type = ptx::e4m3_by_e5m2;
};

template <std::size_t Row>
[[nodiscard]] kernel instance() {
    constexpr kernel_desc desc = kernel_table[Row];
    using element = typename mma_element<desc.a_type, desc.b_type>::type;
    return kernel_with<config<element, desc>>(kernel_table[Row], name_of_row<Row>.c_str());
}

template <kernel_slice Slice>
constexpr std::size_t rows_in = std::ranges::count(kernel_table, Slice, slice_of);

template <kernel_slice Slice>
constexpr auto rows_of = [] {
    std::array<std::size_t, rows_in<Slice>> rows{};
    std::size_t count = 0;
    for (std::size_t row = 0; row < kernel_table.size(); ++row)
        if (slice_of(kernel_table[row]) == Slice) rows[count++] = row;
    return rows;
}();

template <kernel_slice Slice, std::size_t... I>
[[nodiscard]] std::span<const kernel> instances(std::index_sequence<I...>) {
    static const kernel all[] = {instance<rows_of<Slice>[I]>()...};
    return all;
}

}  // namespace detail

template <kernel_slice Slice>
[[nodiscard]] std::span<const kernel> instances() {
    return detail::instances<Slice>(std::make_index_sequence<detail::rows_in<Slice>>());
}

}  // namespace carat::cuda::wgmma
