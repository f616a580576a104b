#include <array>
#include <string>
#include <utility>

#include "cuda/families/fma/kernels.hpp"
#include "cuda/families/fma/straight.cuh"

namespace carat::cuda::fma {

namespace {

template <std::size_t Row>
[[nodiscard]] kernel<float> instance() {
    constexpr kernel_desc row = kernel_table[Row];
    if constexpr (!row.is_f64() && row.arrives == plan::arrival::straight) {
        using math = straight_math<row.thread_m, row.thread_n, 32 / row.lanes_m>;
        using c = straight_config<math, row.warps_m, row.ctas_per_sm>;
        static_assert(c::block_m == row.block_m() && c::block_n == row.block_n() &&
                      c::block_k == row.block_k() && row.most_cluster <= c::max_cluster);
        static const std::string name = name_of(row, operand_major::k, operand_major::mn);
        return straight_kernel_with<c>(name.c_str());
    } else {
        return {};
    }
}

template <std::size_t... Row>
[[nodiscard]] auto all_rows(std::index_sequence<Row...>) {
    return std::array{instance<Row>()...};
}

}  // namespace

const kernel<float>& straight_kernel_of(std::size_t row) {
    static const auto all = all_rows(std::make_index_sequence<kernel_table.size()>());
    return all[row];
}

}  // namespace carat::cuda::fma
