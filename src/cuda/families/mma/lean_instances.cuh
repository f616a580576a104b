// Instantiates the lean kernels of one type.
#pragma once

#include <array>
#include <string>
#include <utility>

#include "cuda/families/mma/lean.cuh"
#include "cuda/families/mma/lean_kernels.hpp"
#include "cuda/families/mma/lean_table.hpp"

namespace carat::cuda::mma {

template <class Math, std::size_t Row>
[[nodiscard]] kernel lean_instance(const std::string& type, const char* lies) {
    constexpr lean_desc row = lean_kernels[Row];
    using c = config<Math, row.block_m, row.block_n, row.warps_m, row.warps_n, 1, row.ctas_per_sm>;
    static_assert(slab_bytes(row) == c::threads / 32 * slab_elements<c> *
                                         static_cast<int>(sizeof(typename c::narrow)));
    static const std::string name = "mma_lean_" + type + "_" + std::to_string(row.block_m) + "x" +
                                    std::to_string(row.block_n) + lies;
    return {name.c_str(),   reinterpret_cast<const void*>(lean_kernel<c>),
            c::block_m,     c::block_n,
            c::threads,     c::shared_bytes,
            c::stage_bytes, c::ctas_per_sm};
}

template <class Math>
[[nodiscard]] const kernel& lean_instance_of(std::size_t row, const char* type, const char* lies) {
    static const auto all = [&]<std::size_t... Row>(std::index_sequence<Row...>) {
        return std::array{lean_instance<Math, Row>(type, lies)...};
    }
    (std::make_index_sequence<lean_kernels.size()>());
    return all[row];
}

// Operands lie as those of kernels.hpp do.
template <template <lies, lies> class Math>
[[nodiscard]] const kernel& lean_instance_of(std::size_t row, bool a_along_k, bool b_along_k,
                                             const char* type) {
    constexpr lies along = lies::along_k;
    constexpr lies across = lies::across_k;
    if (!a_along_k) return lean_instance_of<Math<across, across>>(row, type, "_mm");
    return b_along_k ? lean_instance_of<Math<along, along>>(row, type, "_kk")
                     : lean_instance_of<Math<along, across>>(row, type, "_km");
}

}  // namespace carat::cuda::mma
