// The end of a product whose sums were added up elsewhere, as products over ranks do it.
#pragma once

#include <carat/product.hpp>

namespace carat::detail {

// C = E + epilogue(sums), where C is the block of a larger matrix that begins at (row, col) and
// whose rows and columns the values of the epilogue are for. `sums` is of double for a C of double,
// else of float. E, of C's type, may be null or C. The caller has checked all sizes. Throws
// carat::error(unsupported) as a product with this epilogue does.
CARAT_API void multiply_sums(const cpu& where, const erased_matrix& sums, const erased_matrix* e,
                             const erased_matrix& c, const epilogue_steps& steps, std::size_t row,
                             std::size_t col);
CARAT_API void multiply_sums(const cuda& where, const erased_matrix& sums, const erased_matrix* e,
                             const erased_matrix& c, const epilogue_steps& steps, std::size_t row,
                             std::size_t col);

// The steps for the block of C that begins at (row, col) and has so many rows and columns.
[[nodiscard]] CARAT_API epilogue_steps multiply_steps_at(const epilogue_steps& steps, dtype sums,
                                                         std::size_t row, std::size_t col,
                                                         std::size_t rows, std::size_t cols);

}  // namespace carat::detail
