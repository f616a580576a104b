// What the CPU engine would do with a product, as carat_gemm.explain shows it.
#pragma once

#include <nanobind/nanobind.h>

namespace carat::python {

// Adds `plan`, which returns a dictionary.
void add_explain(nanobind::module_& m);

}  // namespace carat::python
