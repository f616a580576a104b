// Writes C by rows from the sums of a tile, which are in columns: transposed in registers, eight
// columns at a time. Through a transposed copy, 91 x 10 x 30 in f64 took 1.3 times as long. Only
// for instruction sets that load and store partial vectors as fast as whole ones.
#pragma once

#include <algorithm>
#include <cstdint>

#include "cpu/kernels/vector/micro_kernel.hpp"
#include "cpu/kernels/vector/pack.hpp"

namespace carat::cpu_engine::CARAT_ISA {

// At most eight rows by eight columns; `old` has what was in C, in rows of eight.
template <class T, update How>
inline void finish_square(const T* sums, std::int64_t step, int rows, int cols, T alpha, T beta,
                          const T* old, T* c, std::int64_t c_row_stride) {
    using vec = lanes_of<T, 8>;
    using line = typename square<T, 8>::line;
    const auto all = vec::first(8);
    const auto none = vec::first(0);
    const auto edge = vec::first(cols);
    line x[8];
    CARAT_UNROLL for (int j = 0; j < 8; ++j) x[j] =
        reinterpret_cast<line>(vec::load(sums + j * step, j < cols ? all : none));
    square<T, 8>::turn(x);
    const auto alphas = vec::broadcast(alpha);
    const auto betas = vec::broadcast(beta);
    CARAT_UNROLL for (int i = 0; i < 8; ++i) {
        if (i >= rows) return;
        auto y = reinterpret_cast<typename vec::type>(x[i]);
        if constexpr (How == update::adds) {
            const auto added =
                reinterpret_cast<typename vec::type>(square<T, 8>::load(old + 8 * i));
            y = vec::multiply_add(alphas, y, vec::multiply(betas, added));
        } else if constexpr (How == update::scales) {
            y = vec::multiply(alphas, y);
        }
        vec::store(c, y, edge);
        c += c_row_stride;
    }
}

// All of C is read before any is written, see write_tile.
template <class T, update How>
void finish_rows_as(const T* sums, std::int64_t step, int rows, int cols, T alpha, T beta, T* c,
                    std::int64_t c_row_stride) {
    alignas(64) T old[std::size_t{8 * tile<T>::unpacked_vectors * vector<T>::lanes}];
    for (; cols > 0; cols -= 8, sums += 8 * step, c += 8) {
        const int some = std::min(8, cols);
        if constexpr (How == update::adds) {
            const auto edge = lanes_of<T, 8>::first(some);
            for (int i = 0; i < rows; ++i) {
                const auto added = lanes_of<T, 8>::load(c + i * c_row_stride, edge);
                __builtin_memcpy(old + 8 * i, &added, sizeof added);
            }
        }
        for (int i = 0; i < rows; i += 8)
            finish_square<T, How>(sums + i, step, std::min(8, rows - i), some, alpha, beta,
                                  old + 8 * i, c + i * c_row_stride, c_row_stride);
    }
}

// See kernel<T> in micro_kernel.hpp.
template <class T>
void finish_rows(const T* sums, std::int64_t step, int rows, int cols, T alpha, T beta, T* c,
                 std::int64_t c_row_stride) {
    if (beta != T{0})
        return finish_rows_as<T, update::adds>(sums, step, rows, cols, alpha, beta, c,
                                               c_row_stride);
    if (alpha != T{1})
        return finish_rows_as<T, update::scales>(sums, step, rows, cols, alpha, beta, c,
                                                 c_row_stride);
    finish_rows_as<T, update::replaces>(sums, step, rows, cols, alpha, beta, c, c_row_stride);
}

// Null if there is none.
template <class T>
constexpr auto find_finish_rows() {
    decltype(kernel<T>::finish_rows) found = nullptr;
    if constexpr (has_cheap_masks && has_small_vectors && !std::is_integral_v<T>)
        found = &finish_rows<T>;
    return found;
}

}  // namespace carat::cpu_engine::CARAT_ISA
