// The calls.
#pragma once

#include "options.hpp"

namespace carat::python {

[[nodiscard]] nb::object matmul(nb::handle a, nb::handle b, const keywords& asked);

// Of two sequences of matrices, or one and a matrix for all; a list of results.
[[nodiscard]] nb::object matmul_grouped(nb::handle a, nb::handle b, const keywords& asked);

// Of two matrices that share out K by asked.ends, or one whose rows they share out and a stack.
[[nodiscard]] nb::object matmul_shared_out(nb::handle a, nb::handle b, const keywords& asked);

}  // namespace carat::python
