// Many small products, each one tile of C, in a single call: of 4^3, what a call costs is more than
// the product.
#pragma once

#include <cstdint>

#include "cpu/kernels/micro_kernel.hpp"

namespace carat::cpu_engine::CARAT_ISA {

// What runs products of that size, as many rows and columns as one tile may have. The same bits as
// from register_tile.
template <class T>
[[nodiscard]] products_function<T> find_products(int rows, int cols, std::int64_t k);

}  // namespace carat::cpu_engine::CARAT_ISA
