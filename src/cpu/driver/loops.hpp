// The loops around the micro-kernels: straight from the operands for small products, over packed
// blocks for the rest, and over a rectangle of sums that lie apart from C where it cannot hold
// them. None of them allocates or throws. What they need beside the operands is a workspace; a
// little of it they have on the stack instead, where null is given for it.
#pragma once

#include "cpu/driver/task.hpp"
#include "plan/cpu_plan.hpp"

namespace carat::cpu_engine {

// What a loop may have on the stack, of the 32 KiB that a whole call takes at most.
inline constexpr std::int64_t stack_bytes = 16 << 10;

// The workspace given, or the stack.
template <class T>
class scratch {
  public:
    explicit scratch(T* given) : memory_(given != nullptr ? given : on_stack_) {}
    scratch(const scratch&) = delete;
    scratch& operator=(const scratch&) = delete;

    [[nodiscard]] T* memory() { return memory_; }

  private:
    T* memory_;
    alignas(64) T on_stack_[stack_bytes / sizeof(T)];
};

// Tiles of C one after the other, from operands where they lie; one thread. Rows of A that aren't
// contiguous, or all of them where `packs_a`, are packed by the tile; otherwise no workspace is
// needed, sums over k are cut every kc, and of an A beyond 64 KiB nc columns meet all depths before
// the next ones do.
template <class T>
void multiply_direct(const task<T>& t, bool packs_a, std::int64_t nc, std::int64_t kc,
                     T* workspace);

// Where sums over k are cut when A is packed.
inline constexpr std::int64_t direct_packed_depth = 128;

// Elements of T of workspace for that.
[[nodiscard]] std::int64_t direct_packed_elements(int mr, std::int64_t k);

// Products with few columns and rows of A that are contiguous, or with at most most_thin_columns
// columns and depths of A that are; one thread.
template <class T>
void multiply_thin(const task<T>& t, T* workspace);

// Elements of T of workspace for an m x n rectangle. `by_rows`: rows of A are contiguous;
// `copies_b`: depths of B are not.
template <class T>
[[nodiscard]] std::int64_t thin_elements(std::int64_t m, std::int64_t n, std::int64_t k,
                                         bool by_rows, bool copies_b);

// The same sums with an A that is packed already, for any number of columns: those of contiguous
// depths where `by_lanes`, else those of contiguous rows.
template <class T>
void multiply_thin_packed(const task<T>& t, bool by_lanes, T* workspace);

template <class T>
[[nodiscard]] std::int64_t thin_packed_elements(const kernel<T>& with, std::int64_t n,
                                                bool by_lanes);

// Elements of T of workspace that multiply_blocked needs.
[[nodiscard]] std::int64_t blocked_elements(const plan::blocking& blocks);

// Large products, in packed blocks; one thread.
template <class T>
void multiply_blocked(const task<T>& t, const plan::blocking& blocks, T* workspace);

// A C that sums in T are stored into, of that type or a narrower one. Strides are in elements.
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

// Elements of T of workspace that multiply_apart needs for an m x n rectangle.
[[nodiscard]] std::int64_t apart_elements(const plan::blocking& blocks, std::int64_t m,
                                          std::int64_t n);

// Sums over all of k in the workspace, then finished, rounded and stored; sums of integers must
// have a finish. t.c is not looked at.
template <class T>
void multiply_apart(const task<T>& t, const plan::blocking& blocks,
                    const store_target<finished_in<T>>& c, T* workspace);

// C = beta C, without reading C when beta is 0.
template <class T>
void scale(const task<T>& t);
// The same by way of sums that are 0: rounded, and finished where the task says so.
template <class T>
void store_zeros(const task<T>& t, const store_target<finished_in<T>>& c);

}  // namespace carat::cpu_engine
