// The five loops with an out-of-place accumulator, for a C that cannot hold its sums.
#pragma once

#include "cpu/blocked/five_loops.hpp"

namespace carat::cpu_engine {

// A C, of T or a narrower type, into which sums in T are stored. Strides are in elements.
template <class T>
struct store_target {
    std::byte* data = nullptr;
    std::int64_t element_bytes = 0;
    std::int64_t row_stride = 0;
    std::int64_t col_stride = 0;
    store_function<T> store = nullptr;

    [[nodiscard]] std::byte* at(std::int64_t i, std::int64_t j) const {
        return data + (i * row_stride + j * col_stride) * element_bytes;
    }
};

// Elements of T of workspace that multiply_out_of_place needs for an m x n rectangle.
[[nodiscard]] std::int64_t out_of_place_elements(const plan::blocking& blocks, std::int64_t m,
                                                 std::int64_t n);

// Sums over all of k in the workspace, then finishes, rounds and stores; integer sums must have an
// epilogue. Ignores t.c.
template <class T>
void multiply_out_of_place(const task<T>& t, const plan::blocking& blocks,
                           const store_target<epilogue_type<T>>& c, T* workspace);

// The same for sums that are 0: they are rounded, and finished if the task says so.
template <class T>
void store_zeros(const task<T>& t, const store_target<epilogue_type<T>>& c);

}  // namespace carat::cpu_engine
