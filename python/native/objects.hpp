// What objects of Python say about themselves, and which of them mean more than their elements.
#pragma once

#include <nanobind/nanobind.h>
#include <string>

namespace carat::python {

namespace nb = nanobind;

// As str() shows it.
[[nodiscard]] std::string text_of(nb::handle value);

[[nodiscard]] std::string class_name_of(nb::handle value);

// Invalid where it has no such attribute; other errors of looking it up are thrown.
[[nodiscard]] nb::object attribute_of(nb::handle value, const char* name);

[[nodiscard]] bool is_ndarray(nb::handle source);

// Whether the class has it; runs no code of the object's own.
[[nodiscard]] bool class_has(nb::handle source, const char* attribute);

// Whether NumPy would leave the product to the object's class (__array_ufunc__, NEP 13), as to one
// with units. Arrays that hand out memory of their own by DLPack, as CuPy's, are read instead.
[[nodiscard]] bool overrides_ufuncs(nb::handle source);

// numpy.ma's: its elements are there, but some of them don't count.
[[nodiscard]] bool is_masked(nb::handle source);

}  // namespace carat::python
