// A part of a product, for callers that divide one call among their own threads.
#pragma once

#include <carat/product.hpp>

namespace carat::api {

// Rows row to row + rows - 1 and columns col to col + cols - 1.
struct part_of_c {
    std::size_t row;
    std::size_t rows;
    std::size_t col;
    std::size_t cols;
};

// C = alpha A B + beta C for this part only, on the calling thread, with the same bits as in the
// whole product. `a` has alpha, `added` (which is C) has beta. Operands are checked whole. f32 and
// f64. Throws carat::error before anything is written.
void multiply_part(const detail::erased_matrix& a, const detail::erased_matrix& b,
                   const detail::erased_matrix& added, const detail::erased_matrix& c,
                   const part_of_c& part);

}  // namespace carat::api
