// carat_gemm.Prepared: a matrix packed once for many products.
#pragma once

#include <nanobind/nanobind.h>

#include <carat/prepare.hpp>

namespace carat::python {

namespace nb = nanobind;

// `place` is "left", "right" or None, which means right.
[[nodiscard]] prepared_matrix prepare(nb::handle source, nb::handle place);

void add_prepared(nb::module_& m);

}  // namespace carat::python
