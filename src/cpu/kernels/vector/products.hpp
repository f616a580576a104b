// Many small products, each one tile of C, in a single call: at 4^3 a call costs more than the
// product.
#pragma once

#include <cstdint>

#include "cpu/kernels/micro_kernel.hpp"

namespace carat::cpu_engine::CARAT_ISA {

// The function for products of this size, up to the rows and columns of one tile. The same bits as
// from register_tile.
template <class T>
[[nodiscard]] products_function<T> find_products(int rows, int cols, std::int64_t k);

}  // namespace carat::cpu_engine::CARAT_ISA
