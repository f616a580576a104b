// The calls.
#pragma once

#include "options.hpp"

namespace carat::python {

[[nodiscard]] nb::object matmul(nb::handle a, nb::handle b, const keywords& asked);

// Multiplies two sequences of matrices, or one and a matrix for all; returns a list.
[[nodiscard]] nb::object matmul_grouped(nb::handle a, nb::handle b, const keywords& asked);

// Multiplies two matrices that divide K by asked.ends, or one whose rows are divided and a stack.
[[nodiscard]] nb::object matmul_shared_out(nb::handle a, nb::handle b, const keywords& asked);

}  // namespace carat::python
