// Finds everything that can be wrong with a product's arguments before anything is written.
#pragma once

#include <string>
#include <string_view>

#include <carat/product.hpp>

#include "core/problem.hpp"
#include "cpu/kernels/micro_kernel.hpp"

namespace carat::api {

// Made beforehand and copied when memory has run out, since a message needs memory.
extern const error no_memory;               // of matrix_product
extern const error no_memory_for_products;  // of matrix_products

// Throws carat::error for a negative number of threads.
void check_threads(const cpu& where);

// The kernels to multiply with; for f16 those that the caller requested. Throws carat::error in the
// name of that call if there are none, or if an operand was prepared for others.
[[nodiscard]] const cpu_engine::kernel_set& kernels_for_call(const cpu& where,
                                                             const core::problem& p, bool prepared,
                                                             std::string_view call);

// The product as a problem. `steps` are those of its epilogue, or null; with a gate B has twice the
// problem's columns. Throws carat::error in one line that names the argument and both values.
[[nodiscard]] core::problem checked_problem(const detail::erased_matrix& a,
                                            const detail::erased_matrix& b,
                                            const detail::erased_matrix* e,
                                            const detail::erased_matrix& c,
                                            const detail::epilogue_steps* steps);

// Throws for steps that only GPUs support, in the name of that call.
void check_epilogue_on_cpu(const detail::epilogue_steps& steps, const std::string& call);

// Checks an epilogue's values: as many as C has rows or columns, not null, and not overlapping C.
// An amax, which is written, must not overlap anything. Throws as above.
void check_epilogue(const detail::epilogue_steps& steps, const detail::erased_matrix& a,
                    const detail::erased_matrix& b, const detail::erased_matrix* e,
                    const detail::erased_matrix& c);

// The strides, except those that mean nothing and are too large to multiply.
[[nodiscard]] core::layout layout_of(const detail::erased_matrix& m);

// Whether two views have one type, size and pair of strides; same_elements also wants one address.
[[nodiscard]] bool same_strides(const detail::erased_matrix& x, const detail::erased_matrix& y);
[[nodiscard]] bool same_elements(const detail::erased_matrix& x, const detail::erased_matrix& y);

}  // namespace carat::api
