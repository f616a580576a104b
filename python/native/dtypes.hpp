// Element types as Python's libraries name them, and which products carat supports.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <optional>
#include <string>
#include <string_view>

#include <carat/types.hpp>

namespace carat::python {

namespace nb = nanobind;

// NumPy's and ml_dtypes' name: "float64", "bfloat16", "float8_e4m3fn" ...
[[nodiscard]] std::string_view numpy_name(dtype type);
[[nodiscard]] std::optional<dtype> type_named(std::string_view numpy_name);

// A type of the buffer protocol ("d", "<f", "=b") with elements of that size in this machine's byte
// order.
[[nodiscard]] std::optional<dtype> type_of_format(const char* format, std::size_t size_bytes);
[[nodiscard]] std::optional<dtype> type_of(nb::dlpack::dtype type);

// A type of NumPy's array interface: 'f', 'i' or 'u'.
[[nodiscard]] std::optional<dtype> type_of_kind(char kind, std::size_t size_bytes);

// bf16 and fp8 by ml_dtypes' dtype object, of which NumPy itself knows only the size.
[[nodiscard]] std::optional<dtype> type_of_ml_dtypes(nb::handle numpy_dtype,
                                                     std::size_t size_bytes);

// The type that carat's or NumPy's name, a NumPy dtype or scalar type, or a dtype of PyTorch or JAX
// means. Throws TypeError naming the argument, also for NumPy types in the other byte order.
[[nodiscard]] dtype type_asked(nb::handle asked, const char* argument);

// NumPy's dtype object, or ml_dtypes' for bf16 and fp8. Throws TypeError if that is missing.
[[nodiscard]] nb::object numpy_dtype(dtype type);

// The default type of A B. Throws TypeError for two types that cannot be multiplied.
[[nodiscard]] dtype natural_result(dtype a, dtype b);

// Throws TypeError unless products of A's type may be stored as C's.
void check_result(dtype a, dtype c);

}  // namespace carat::python
