// The module's functions as Python builtins: unlike nanobind's functions these pickle by name, have
// a signature, and need no overload resolution.
#pragma once

#include <nanobind/nanobind.h>

namespace carat::python {

namespace nb = nanobind;

void add_calls(nb::module_& m);

// The current exception, converted to Python's.
void raise_in_python() noexcept;

}  // namespace carat::python
