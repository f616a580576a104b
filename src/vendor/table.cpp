#include "vendor/table.hpp"

#include <array>

#include "vendor/blas/rows.hpp"

namespace carat::vendor {

core::table vendor_table() {
    static constexpr std::array<const core::implementation*, 4> rows = {&openblas_row, &blis_row,
                                                                        &mkl_row, &reference_row};
    return rows;
}

}  // namespace carat::vendor
