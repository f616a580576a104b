// Instantiates the rows of a table of large tiles for one arithmetic.
#pragma once

#include <array>
#include <string>
#include <utility>

#include "cuda/families/mma/multistage_math.cuh"
#include "cuda/families/mma/multistage_table.hpp"

namespace carat::cuda::mma {

template <class Math, const auto& Table, std::size_t Row>
[[nodiscard]] kernel multistage_instance(const char* type) {
    constexpr multistage_desc row = Table[Row];
    using c = multistage_config<Math, row.block_m, row.block_n, row.warps_m, row.warps_n,
                                row.ctas_per_sm>;
    constexpr auto suffix = [] {
        if (Math::a == lies::across_k) return "_mm";
        return Math::b == lies::along_k ? "_kk" : "_km";
    };
    static const std::string name = "multistage_" + std::string(type) + "_" +
                                    std::to_string(row.block_m) + "x" +
                                    std::to_string(row.block_n) + suffix();
    return {name.c_str(),   reinterpret_cast<const void*>(multistage_kernel<c>),
            c::block_m,     c::block_n,
            c::threads,     c::least_shared_bytes,
            c::stage_bytes, c::ctas_per_sm};
}

template <class Math, const auto& Table>
[[nodiscard]] const kernel& multistage_instance_of(std::size_t row, const char* type) {
    static const auto all = [&]<std::size_t... Row>(std::index_sequence<Row...>) {
        return std::array{multistage_instance<Math, Table, Row>(type)...};
    }
    (std::make_index_sequence<Table.size()>());
    return all[row];
}

template <template <lies, lies> class Math, const auto& Table>
[[nodiscard]] const kernel& multistage_instance_of(std::size_t row, bool a_along_k, bool b_along_k,
                                                   const char* type) {
    constexpr lies along = lies::along_k;
    constexpr lies across = lies::across_k;
    if (!a_along_k) return multistage_instance_of<Math<across, across>, Table>(row, type);
    return b_along_k ? multistage_instance_of<Math<along, along>, Table>(row, type)
                     : multistage_instance_of<Math<along, across>, Table>(row, type);
}

}  // namespace carat::cuda::mma
