// Attributes of Python objects, and whether they mean more than their elements.
#pragma once

#include <nanobind/nanobind.h>
#include <string>

namespace carat::python {

namespace nb = nanobind;

// The text of str().
[[nodiscard]] std::string text_of(nb::handle value);

[[nodiscard]] std::string class_name_of(nb::handle value);

// Invalid if it has no such attribute; throws other errors of the look-up.
[[nodiscard]] nb::object attribute_of(nb::handle value, const char* name);

[[nodiscard]] bool is_ndarray(nb::handle source);

// Whether its class has the attribute; runs no code of the object.
[[nodiscard]] bool class_has(nb::handle source, const char* attribute);

// Whether NumPy would leave the product to the object's class (__array_ufunc__, NEP 13), as for
// units. Arrays that export their memory by DLPack, like CuPy's, are read instead.
[[nodiscard]] bool overrides_ufuncs(nb::handle source);

// Arrays of numpy.ma have elements, but some of them do not count.
[[nodiscard]] bool is_masked(nb::handle source);

}  // namespace carat::python
