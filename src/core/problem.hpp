// One product without its data: C = alpha A B + beta C with element types, sizes and strides.
// Transposes are already strides.
#pragma once

#include <cstdint>
#include <string>

#include <carat/types.hpp>
#include <carat/views.hpp>

namespace carat::core {

struct layout {
    std::int64_t row_stride = 0;  // elements
    std::int64_t col_stride = 1;

    bool operator==(const layout&) const = default;
};

[[nodiscard]] constexpr layout row_major(std::int64_t cols) {
    return {cols, 1};
}
[[nodiscard]] constexpr layout column_major(std::int64_t rows) {
    return {1, rows};
}

struct problem {
    dtype a_type = dtype::f64;
    dtype b_type = dtype::f64;
    dtype c_type = dtype::f64;
    std::int64_t m = 0;  // rows of A and C
    std::int64_t n = 0;  // columns of B and C
    std::int64_t k = 0;  // columns of A, rows of B
    layout a_layout;
    layout b_layout;
    layout c_layout;
    double alpha = 1;  // exact for every type carat knows
    double beta = 0;
};

// A row-major, contiguous product whose operands have one type.
[[nodiscard]] constexpr problem row_major_problem(dtype type, std::int64_t m, std::int64_t n,
                                                  std::int64_t k) {
    return {type, type, type, m, n, k, row_major(k), row_major(n), row_major(n), 1, 0};
}

// The addresses of the data, in the implementation's space (host or device memory).
struct operands {
    const void* a = nullptr;
    const void* b = nullptr;
    void* c = nullptr;
    const void* e = nullptr;        // the E of a product that is finished on its way to C
    const void* bias = nullptr;     // n values of C's accumulator, where an epilogue adds them
    const float* scales = nullptr;  // of blocks of A and of B (block_scale_places.hpp)
};

// The operands of `p` as typed views.
template <class T>
[[nodiscard]] matrix_view<const T> a_view(const problem& p, const operands& o) {
    return {static_cast<const T*>(o.a), static_cast<std::size_t>(p.m),
            static_cast<std::size_t>(p.k), p.a_layout.row_stride, p.a_layout.col_stride};
}
template <class T>
[[nodiscard]] matrix_view<const T> b_view(const problem& p, const operands& o) {
    return {static_cast<const T*>(o.b), static_cast<std::size_t>(p.k),
            static_cast<std::size_t>(p.n), p.b_layout.row_stride, p.b_layout.col_stride};
}
template <class T>
[[nodiscard]] matrix_view<T> c_view(const problem& p, const operands& o) {
    return {static_cast<T*>(o.c), static_cast<std::size_t>(p.m), static_cast<std::size_t>(p.n),
            p.c_layout.row_stride, p.c_layout.col_stride};
}

// a x b for sizes that are not negative. Throws carat::error(overflow) naming `what`.
[[nodiscard]] std::int64_t checked_product(std::int64_t a, std::int64_t b, const char* what);

// Whether integer sums are rounded to another type, which only an epilogue does.
[[nodiscard]] bool rounds_integers(const problem& p);

// The bytes of `count` adjacent elements, rounded up. Throws carat::error(overflow) naming `what`.
[[nodiscard]] std::int64_t checked_bytes(dtype type, std::int64_t elements, const char* what);

// Elements from the first to the last one touched, both included; 0 for an empty matrix.
// Strides must not be negative.
[[nodiscard]] std::int64_t extent_elements(std::int64_t rows, std::int64_t cols,
                                           const layout& where);

// Why alpha and beta cannot be factors of an i32 C; empty if they can, and for other types.
[[nodiscard]] std::string reason_against_factors(const problem& p);

// "2000x1000x500 f64"
[[nodiscard]] std::string describe(const problem& p);

}  // namespace carat::core
