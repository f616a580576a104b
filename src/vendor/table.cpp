#include "vendor/table.hpp"

#include <array>

#include "vendor/blas/rows.hpp"

namespace carat::vendor {

core::table vendor_table() {
    static constexpr std::array<const core::implementation*, 1> rows = {&openblas_row};
    return rows;
}

}  // namespace carat::vendor
