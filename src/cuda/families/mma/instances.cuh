// Instantiates the rows of a table of tiles for one arithmetic.
#pragma once

#include <array>
#include <string>
#include <type_traits>
#include <utility>

#include "cuda/families/mma/kernel_table.hpp"
#include "cuda/families/mma/kernels.hpp"
#include "cuda/families/mma/multistage.cuh"
#include "cuda/families/mma/multistage_table.hpp"

namespace carat::cuda::mma {

template <class Math, auto Row>
constexpr auto config_of_row() {
    if constexpr (requires { Row.k_groups; })
        return std::type_identity<config<Math, Row.block_m, Row.block_n, Row.warps_m, Row.warps_n,
                                         Row.k_groups, Row.ctas_per_sm>>{};
    else
        return std::type_identity<multistage_config<Math, Row.block_m, Row.block_n, Row.warps_m,
                                                    Row.warps_n, Row.ctas_per_sm>>{};
}

template <class C>
[[nodiscard]] const void* kernel_of() {
    if constexpr (C::reads_anywhere)
        return reinterpret_cast<const void*>(batch_kernel<C>);
    else
        return reinterpret_cast<const void*>(multistage_kernel<C>);
}

// Table: its std::array of rows. The name is `type`, the tile and how operands lie, where that is
// compiled.
template <class Math, const auto& Table, std::size_t Row>
[[nodiscard]] kernel instance(const char* type) {
    using c = typename decltype(config_of_row<Math, Table[Row]>())::type;
    constexpr auto suffix = [] {
        if (Math::a == lies::across_k) return "_mm";
        return Math::b == lies::along_k ? "_kk" : "_km";
    };
    static const std::string name = (c::reads_anywhere ? "mma_" : "multistage_") +
                                    std::string(type) + "_" + std::to_string(c::block_m) + "x" +
                                    std::to_string(c::block_n) + suffix();
    return {name.c_str(), kernel_of<c>(),  c::block_m,     c::block_n,
            c::threads,   c::shared_bytes, c::stage_bytes, c::ctas_per_sm};
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
