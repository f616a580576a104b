// What a thread remembers of the small products it multiplied last: that their sizes and strides
// are right, and their plans. A call that differs only in addresses skips both.
//
// Checking and planning were 1460 of the 2060 instructions of 5 x 6 x 5.
#pragma once

#include <carat/product.hpp>

#include "core/problem.hpp"
#include "cpu/kernels/micro_kernel.hpp"

namespace carat::api {

// C = E + A B as in this thread's recent calls. Returns false and does nothing if none of them was
// alike, or if this one must be checked again.
[[nodiscard]] bool multiply_as_known(const cpu& where, const detail::erased_matrix& a,
                                     const detail::erased_matrix& b, const detail::erased_matrix* e,
                                     const detail::erased_matrix& c);

// The same for a call that has been checked; it is remembered if its size comes twice. Returns
// false and does nothing if the call does not qualify: f64 and f32 in operands of their type, E is
// C or absent, so few multiplications that no plan has two threads, and no workspace.
[[nodiscard]] bool multiply_and_keep(const core::problem& p, const cpu_engine::kernel_set& kernels,
                                     const detail::erased_matrix& a, const detail::erased_matrix& b,
                                     const detail::erased_matrix* e,
                                     const detail::erased_matrix& c);

}  // namespace carat::api
