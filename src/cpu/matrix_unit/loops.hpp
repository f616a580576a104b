// The loops around a matrix unit. Like those around register tiles they compute a rectangle of C
// and pack for themselves, and the number of threads does not decide where sums over k are cut.
#pragma once

#include "cpu/kernels/matrix_unit_kernel.hpp"
#include "cpu/task.hpp"
#include "plan/matrix_unit_plan.hpp"

namespace carat::cpu_engine {

// C = alpha A B + beta C, m x k by k x n.
struct matrix_unit_task {
    const matrix_unit_kernel* with = nullptr;
    store_sums_function store = nullptr;
    std::int64_t m = 0;
    std::int64_t n = 0;
    std::int64_t k = 0;
    bool a_packed = false;  // in micropanels over all of k, which lines of `a` or `b` begin
    bool b_packed = false;
    source a;
    source b;
    std::byte* c = nullptr;
    std::int64_t c_bytes = 0;  // of an element
    std::int64_t c_row_stride = 0;
    std::int64_t c_col_stride = 0;
    double alpha = 1;
    double beta = 0;
    const epilogue_call<float>* epilogue = nullptr;  // of these sums; alpha is 1 and beta 0 then
    std::int64_t first_row = 0;                      // of C, in the whole product
    std::int64_t first_col = 0;
    bool turns_by_rows = false;  // the way along k is a matter of the row in C, see loops.cpp
    bool plain = false;  // C is the sums themselves: of their type, by rows, alpha 1, beta 0
    // Only for plain stores: C is written past the caches; its rows begin on cache lines.
    bool streams = false;

    [[nodiscard]] std::byte* c_at(std::int64_t i, std::int64_t j) const {
        return c + (i * c_row_stride + j * c_col_stride) * c_bytes;
    }
};

// The layout of a thread's workspace in bytes; all are multiples of a page.
struct matrix_unit_memory {
    std::int64_t a = 0;
    std::int64_t b = 0;
    std::int64_t sums = 0;

    [[nodiscard]] std::int64_t all() const { return a + b + sums; }
};
[[nodiscard]] matrix_unit_memory matrix_unit_memory_for(const plan::matrix_unit_plan& plan,
                                                        const matrix_unit_kernel& with,
                                                        std::int64_t m, std::int64_t k);

// Bytes from one micropanel to the next, of this depth.
[[nodiscard]] std::int64_t micropanel_bytes(const matrix_unit_kernel& with, std::int64_t k);

// Computes one thread's rectangle. The tile registers must be configured.
void multiply_on_matrix_unit(const matrix_unit_task& t, const plan::matrix_unit_plan& plan,
                             std::byte* workspace);

}  // namespace carat::cpu_engine
