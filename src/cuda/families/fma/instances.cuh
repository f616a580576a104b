// Instantiates the rows of one type that turn their operands, or those that don't, each in every
// layout that lanes read.
#pragma once

#include <array>
#include <type_traits>
#include <utility>

#include "cuda/families/fma/dmma.cuh"
#include "cuda/families/fma/ffma.cuh"
#include "cuda/families/fma/kernel.cuh"
#include "cuda/families/fma/kernels.hpp"

namespace carat::cuda::fma {

namespace detail {

template <std::size_t Row, operand_major A, operand_major B>
constexpr auto math_of() {
    constexpr kernel_desc row = kernel_table[Row];
    if constexpr (row.is_f64())
        return std::type_identity<dmma<A, B, row.thread_m, row.thread_n>>{};
    else
        return std::type_identity<ffma<row.thread_m, row.thread_n, row.lanes_m, A, B>>{};
}

// The kernel has no function where the row is none of these or its lanes don't read such operands.
template <class T, bool Turn, std::size_t Row, operand_major A, operand_major B>
[[nodiscard]] kernel<T> instance() {
    constexpr kernel_desc row = kernel_table[Row];
    if constexpr (row.type == dtype_of_v<T> &&
                  row.arrives == (Turn ? plan::arrival::turned : plan::arrival::ready) &&
                  row.has_kernel_for(A, B)) {
        using c = config<typename decltype(math_of<Row, A, B>())::type, row.warps_m, row.warps_n,
                         row.ctas_per_sm, Turn>;
        static_assert(c::block_m == row.block_m() && c::block_n == row.block_n() &&
                      c::block_k == row.block_k() && row.most_cluster <= c::max_cluster);
        static const std::string name = name_of(row, A, B);
        return kernel_with<c>(name.c_str());
    } else {
        return {};
    }
}

template <class T, bool Turn, std::size_t Row>
[[nodiscard]] std::array<kernel<T>, 4> in_every_layout() {
    using enum operand_major;
    return {instance<T, Turn, Row, k, k>(), instance<T, Turn, Row, k, mn>(),
            instance<T, Turn, Row, mn, k>(), instance<T, Turn, Row, mn, mn>()};
}

template <class T, bool Turn, std::size_t... Row>
[[nodiscard]] auto all_rows(std::index_sequence<Row...>) {
    return std::array{in_every_layout<T, Turn, Row>()...};
}

}  // namespace detail

template <class T, bool Turn = false>
[[nodiscard]] const kernel<T>& instance_of(std::size_t row, operand_major a, operand_major b) {
    static const auto all =
        detail::all_rows<T, Turn>(std::make_index_sequence<kernel_table.size()>());
    return all[row][(a == operand_major::mn ? 2U : 0U) + (b == operand_major::mn ? 1U : 0U)];
}

}  // namespace carat::cuda::fma
