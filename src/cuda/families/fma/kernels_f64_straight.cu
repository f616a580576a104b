#include <array>
#include <string>
#include <utility>

#include "cuda/families/fma/kernels.hpp"
#include "cuda/families/fma/straight_f64.cuh"

namespace carat::cuda::fma {

namespace {

template <std::size_t Row, class Numbering>
[[nodiscard]] kernel<double> instance(const char* lines) {
    constexpr kernel_desc row = kernel_table[Row];
    if constexpr (row.is_f64() && row.arrives == plan::arrival::straight) {
        using c = straight_f64_config<straight_dmma<Numbering, row.thread_m, row.thread_n>,
                                      row.warps_m, row.warps_n, row.ctas_per_sm>;
        static_assert(c::block_m == row.block_m() && c::block_n == row.block_n() &&
                      c::block_k == row.block_k() && row.most_cluster <= c::max_cluster);
        static const std::string name = name_of(row, operand_major::k, operand_major::mn) + lines;
        return straight_f64_kernel_with<c>(name.c_str());
    } else {
        return {};
    }
}

struct row_kernels {
    kernel<double> odd_a, odd_b, even;
};

template <std::size_t... Row>
[[nodiscard]] auto all_rows(std::index_sequence<Row...>) {
    return std::array{row_kernels{instance<Row, numbering_of_odd_a>("_odd_a"),
                                  instance<Row, numbering_of_odd_b>("_odd_b"),
                                  instance<Row, numbering_of_even>("_even")}...};
}

}  // namespace

const kernel<double>& straight_f64_kernel_of(std::size_t row, operand_lines a, operand_lines b) {
    static const auto all = all_rows(std::make_index_sequence<kernel_table.size()>());
    return a.are_odd ? all[row].odd_a : b.are_odd ? all[row].odd_b : all[row].even;
}

}  // namespace carat::cuda::fma
