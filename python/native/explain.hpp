// The CPU engine's plan for a product, for carat_gemm.explain.
#pragma once

#include <nanobind/nanobind.h>

namespace carat::python {

// Adds `plan`, which returns a dictionary.
void add_explain(nanobind::module_& m);

}  // namespace carat::python
