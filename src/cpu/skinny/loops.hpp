// Products with few columns, from an unpacked A or a packed one.
#pragma once

#include "cpu/task.hpp"
#include "plan/cpu_plan.hpp"

namespace carat::cpu_engine {

// A has contiguous rows, or is contiguous in k with at most most_skinny_columns columns; one
// thread. The sums of each kc depths are added to C, if K has more.
template <class T>
void multiply_skinny(const task<T>& t, std::int64_t kc, T* workspace);

// Elements of T of workspace for an m x n rectangle. `by_rows`: rows of A are contiguous;
// `copies_b`: B is not contiguous in k.
template <class T>
[[nodiscard]] std::int64_t skinny_elements(std::int64_t m, std::int64_t n, std::int64_t k,
                                           bool by_rows, bool copies_b);

// The same sums from a packed A, for any number of columns: those of A contiguous in k if
// `by_lanes`, else those of contiguous rows.
template <class T>
void multiply_skinny_packed(const task<T>& t, bool by_lanes, std::int64_t kc, T* workspace);

template <class T>
[[nodiscard]] std::int64_t skinny_packed_elements(const kernel<T>& with, std::int64_t n,
                                                  bool by_lanes);

}  // namespace carat::cpu_engine
