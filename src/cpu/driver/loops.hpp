// The loops around the micro-kernels: straight from the operands for small products, over packed
// blocks for the rest, and over a rectangle of f32 sums where C is narrower than what is computed.
// None of them allocates or throws.
#pragma once

#include "cpu/driver/task.hpp"
#include "plan/cpu_plan.hpp"

namespace carat::cpu_engine {

// Tiles of C one after the other, from operands where they lie; one thread. Rows of A that aren't
// contiguous, or all of them where `packs_a`, are packed on the stack; otherwise sums over k are
// cut every kc.
template <class T>
void multiply_direct(const task<T>& t, bool packs_a, std::int64_t kc);

// Products with at most most_thin_columns columns and rows of A that are contiguous, or with one
// column and depths of A that are; one thread.
template <class T>
void multiply_thin(const task<T>& t);

// Elements of T of workspace that multiply_blocked needs.
[[nodiscard]] std::int64_t blocked_elements(const plan::blocking& blocks);

// Large products, in packed blocks; one thread.
template <class T>
void multiply_blocked(const task<T>& t, const plan::blocking& blocks, T* workspace);

// A C of f16 or bf16, in elements.
struct narrow_target {
    std::byte* data = nullptr;
    std::int64_t row_stride = 0;
    std::int64_t col_stride = 0;
    narrow_function store = nullptr;

    [[nodiscard]] std::byte* at(std::int64_t i, std::int64_t j) const {
        return data + (i * row_stride + j * col_stride) * 2;
    }
};

// f32 elements of workspace that multiply_narrow needs for an m x n rectangle.
[[nodiscard]] std::int64_t narrow_elements(const plan::blocking& blocks, std::int64_t m,
                                           std::int64_t n);

// Sums in f32 over all of k, one rounding at the end. t.c is not looked at.
void multiply_narrow(const task<float>& t, const plan::blocking& blocks, const narrow_target& c,
                     float* workspace);

// C = beta C, without reading C when beta is 0.
template <class T>
void scale(const task<T>& t);
void scale_narrow(std::int64_t m, std::int64_t n, float beta, const narrow_target& c);

}  // namespace carat::cpu_engine
