// Instantiates the rows of a table for one arithmetic.
#pragma once

#include <array>
#include <string>
#include <utility>

#include "cuda/families/mma/kernel.cuh"
#include "cuda/families/mma/kernel_table.hpp"
#include "cuda/families/mma/kernels.hpp"

namespace carat::cuda::mma {

// Table: its std::array of rows. The name is `type`, the tile and how operands lie, where that is
// compiled.
template <class Math, const auto& Table, std::size_t Row>
[[nodiscard]] kernel instance(const char* type) {
    constexpr kernel_desc row = Table[Row];
    using c = config<Math, row.block_m, row.block_n, row.warps_m, row.warps_n, row.k_groups,
                     row.ctas_per_sm>;
    constexpr auto suffix = [] {
        if (Math::a == lies::either) return "";
        if (Math::a == lies::across_k) return "_mm";
        return Math::b == lies::along_k ? "_kk" : "_km";
    };
    static const std::string name = "mma_" + std::string(type) + "_" + std::to_string(row.block_m) +
                                    "x" + std::to_string(row.block_n) + suffix();
    return {name.c_str(), reinterpret_cast<const void*>(batch_kernel<c>),
            c::block_m,   c::block_n,
            c::threads,   c::shared_bytes};
}

template <class Math, const auto& Table>
[[nodiscard]] const kernel& instance_of(std::size_t row, const char* type) {
    static const auto all = [&]<std::size_t... Row>(std::index_sequence<Row...>) {
        return std::array{instance<Math, Table, Row>(type)...};
    }
    (std::make_index_sequence<Table.size()>());
    return all[row];
}

template <template <lies, lies> class Math, const auto& Table>
[[nodiscard]] const kernel& instance_of(std::size_t row, bool a_along_k, bool b_along_k,
                                        const char* type) {
    constexpr lies along = lies::along_k;
    constexpr lies across = lies::across_k;
    if (!a_along_k) return instance_of<Math<across, across>, Table>(row, type);
    return b_along_k ? instance_of<Math<along, along>, Table>(row, type)
                     : instance_of<Math<along, across>, Table>(row, type);
}

}  // namespace carat::cuda::mma
