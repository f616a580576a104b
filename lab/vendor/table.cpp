#include "lab/vendor/table.hpp"

#include <array>

#include "lab/vendor/rows.hpp"

namespace carat::vendor {

rows::table vendor_table() {
    static constexpr std::array<const rows::implementation*, 8> rows = {
        &openblas_row,      &blis_row,  &mkl_row,     &onednn_row,
        &onednn_matmul_row, &eigen_row, &libxsmm_row, &reference_row};
    return rows;
}

}  // namespace carat::vendor
