// A product as the loops see it: typed by what it computes in, transposed if necessary so that
// columns of C are contiguous where possible, and divided into rectangles of C that are tasks too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "cpu/kernels/micro_kernel.hpp"

namespace carat::cpu_engine {

// An operand as vectors (rows of A, columns of B) of k elements, of any type and strides.
struct source {
    const std::byte* data = nullptr;
    std::int64_t element_bytes = 0;
    std::int64_t outer_stride = 0;  // elements from one vector to the next
    std::int64_t k_stride = 0;      // elements from one k to the next

    [[nodiscard]] const std::byte* at(std::int64_t line, std::int64_t depth) const {
        return data + (line * outer_stride + depth * k_stride) * element_bytes;
    }
    [[nodiscard]] source from_outer(std::int64_t line) const {
        return {at(line, 0), element_bytes, outer_stride, k_stride};
    }
};

// C = alpha A B + beta C, m x k by k x n.
template <class T>
struct task {
    const kernel<T>* with = nullptr;
    pack_function<T> pack_a = nullptr;
    pack_function<T> pack_b = nullptr;
    std::int64_t m = 0;
    std::int64_t n = 0;
    std::int64_t k = 0;
    bool a_packed = false;  // in micropanels over all of k, where vectors of `a` begin
    source a;
    source b;
    T* c = nullptr;
    std::int64_t c_row_stride = 0;
    std::int64_t c_col_stride = 0;
    T alpha{};
    T beta{};
    bool fetches_c = false;                                     // see tile_call
    const epilogue_call<epilogue_type<T>>* epilogue = nullptr;  // of these sums; beta is 0 then
    std::int64_t first_row = 0;                                 // of the C that is finished
    std::int64_t first_col = 0;

    [[nodiscard]] T* c_at(std::int64_t i, std::int64_t j) const {
        return c + i * c_row_stride + j * c_col_stride;
    }
};

// The operands of a task for the rows x cols rectangle of C from (i, j) on; the caller sets its C.
template <class T>
[[nodiscard]] task<T> rectangle(task<T> t, std::int64_t i, std::int64_t j, std::int64_t rows,
                                std::int64_t cols) {
    t.m = rows;
    t.n = cols;
    t.a = t.a.from_outer(i);
    t.b = t.b.from_outer(j);
    t.first_row += i;
    t.first_col += j;
    return t;
}

// Finishes the sums of a tile at (i, j). Integer sums are finished out of place.
template <class T>
__attribute__((noinline)) void apply_epilogue(const task<T>& t, const tile_call<T>& call,
                                              std::int64_t i, std::int64_t j) {
    if constexpr (std::is_floating_point_v<T>)
        (*t.epilogue)(
            {call.c, call.rows, call.cols, call.c_col_stride, t.first_row + i, t.first_col + j});
}

// Copies a tile of C to a buffer of adjacent columns, or back. Four adjacent columns are transposed
// in registers.
template <class T>
void copy_tile(const task<T>& t, int rows, int cols, T* copy, T* c, bool back) {
    if (t.c_col_stride == 1 && cols >= 4) {
        if (back) return t.with->turn_rows(copy, rows, cols, rows, c, t.c_row_stride);
        return t.with->turn_rows(c, t.c_row_stride, rows, cols, copy, rows);
    }
    for (int q = 0; q < cols; ++q) {
        T* const near = copy + q * std::int64_t{rows};
        T* const far = c + q * t.c_col_stride;
        if (back)
            for (int p = 0; p < rows; ++p) far[p * t.c_row_stride] = near[p];
        else
            for (int p = 0; p < rows; ++p) near[p] = far[p * t.c_row_stride];
    }
}

// A tile whose rows are contiguous in C: its sums are transposed as they are stored.
template <class T>
void run_tile_by_rows(void (*run)(const tile_call<T>&), const task<T>& t, tile_call<T>& call,
                      T* c) {
    alignas(64) T sums[largest_tile_bytes / sizeof(T)];
    const T alpha = std::exchange(call.alpha, T{1});
    const T beta = std::exchange(call.beta, T{0});
    call.c = sums;
    call.c_col_stride = plan::ceil_div(call.rows, t.with->lanes) * t.with->lanes;
    run(call);
    t.with->finish_rows(sums, call.c_col_stride, call.rows, call.cols, alpha, beta, c,
                        t.c_row_stride);
    call.alpha = alpha;
    call.beta = beta;
}

// Computes a tile in a copy on the stack.
template <class T>
__attribute__((noinline)) void run_tile_in_buffer(void (*run)(const tile_call<T>&),
                                                  const task<T>& t, tile_call<T>& call,
                                                  std::int64_t i, std::int64_t j) {
    T* const c = t.c_at(i, j);
    if (t.with->finish_rows != nullptr && t.c_col_stride == 1 && call.cols > 1 &&
        t.epilogue == nullptr)
        return run_tile_by_rows(run, t, call, c);
    alignas(64) T copy[largest_tile_bytes / sizeof(T)];
    call.c = copy;
    call.c_col_stride = call.rows;
    if (call.beta != T{0}) copy_tile(t, call.rows, call.cols, copy, c, false);
    run(call);
    if (t.epilogue != nullptr && call.last) apply_epilogue(t, call, i, j);
    copy_tile(t, call.rows, call.cols, copy, c, true);
}

// Runs one tile whose k, a and b are set; `i` and `j` are its position in C. Columns of C that are
// not contiguous are copied, so kernels need not know.
template <class T>
inline void run_tile(void (*run)(const tile_call<T>&), const task<T>& t, tile_call<T>& call,
                     std::int64_t i, std::int64_t j) {
    if (t.c_row_stride != 1 && call.rows != 1) return run_tile_in_buffer(run, t, call, i, j);
    call.c = t.c_at(i, j);
    call.c_col_stride = t.c_col_stride;
    run(call);
    if (t.epilogue != nullptr && call.last) apply_epilogue(t, call, i, j);
}

}  // namespace carat::cpu_engine
