// Small triangles times any number of columns: the diagonal blocks of the triangular routines.
// Compiled once for each instruction set.
#pragma once

#include <cstddef>

#include <carat/types.hpp>

namespace carat::blas {

// The largest order that the functions below take.
inline constexpr std::size_t diagonal_order = 32;

// A plain matrix, for code that must not instantiate shared templates.
template <class T>
struct strided {
    T* data;
    std::ptrdiff_t row_stride;
    std::ptrdiff_t col_stride;
};

template <class T>
struct small_triangle {
    strided<const T> elements;
    std::size_t order;
    bool lower;
    bool unit;
};

template <class T>
struct diagonal_functions {
    // B = T B and B = T^-1 B for `cols` columns of B.
    void (*multiply)(const small_triangle<T>& t, strided<T> b, std::size_t cols);
    void (*solve)(const small_triangle<T>& t, strided<T> b, std::size_t cols);
};

struct diagonal_set {
    diagonal_functions<float> f32;
    diagonal_functions<double> f64;
};

// The functions for the instruction set in use.
[[nodiscard]] const diagonal_set& diagonal_functions_in_use();

}  // namespace carat::blas
