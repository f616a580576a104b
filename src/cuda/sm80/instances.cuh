// Instantiates the rows of the table for one type of elements.
#pragma once

#include <array>
#include <string>
#include <utility>

#include "cuda/sm80/kernel.cuh"
#include "cuda/sm80/kernel_table.hpp"
#include "cuda/sm80/kernels.hpp"

namespace carat::cuda::sm80 {

template <class Element, std::size_t Row>
[[nodiscard]] kernel instance(const char* type) {
    constexpr kernel_desc row = kernel_table[Row];
    using c = config<Element, row.block_m, row.block_n, row.warps_m, row.warps_n, row.ctas_per_sm>;
    static const std::string name = "sm80_" + std::string(type) + "_" +
                                    std::to_string(row.block_m) + "x" + std::to_string(row.block_n);
    return {name.c_str(), reinterpret_cast<const void*>(batch_kernel<c>),
            c::block_m,   c::block_n,
            c::threads,   c::shared_bytes};
}

template <class Element>
[[nodiscard]] const kernel& instance_of(std::size_t row, const char* type) {
    static const auto all = [&]<std::size_t... Row>(std::index_sequence<Row...>) {
        return std::array{instance<Element, Row>(type)...};
    }
    (std::make_index_sequence<kernel_table.size()>());
    return all[row];
}

}  // namespace carat::cuda::sm80
