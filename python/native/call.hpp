// The module's functions as builtin ones of Python: these pickle by their name and tell their
// signature, which functions of nanobind don't, and need no search among overloads.
#pragma once

#include <nanobind/nanobind.h>

namespace carat::python {

namespace nb = nanobind;

void add_calls(nb::module_& m);

// The exception that is being handled, as Python's.
void raise_in_python() noexcept;

}  // namespace carat::python
