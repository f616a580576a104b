// Everything that can be wrong with the arguments of a product, found before anything is written.
#pragma once

#include <string>
#include <string_view>

#include <carat/product.hpp>

#include "core/problem.hpp"
#include "cpu/kernels/micro_kernel.hpp"

namespace carat::api {

// What is thrown copies of when memory has run out: made beforehand, since a message needs memory.
extern const error no_memory;               // of matrix_product
extern const error no_memory_for_products;  // of matrix_products

// Throws carat::error for a negative number of threads.
void check_threads(const cpu& where);

// What to multiply with: of f16 what the caller asked for. Throws carat::error, in the name of that
// call, where there is none, or an operand was prepared for another.
[[nodiscard]] const cpu_engine::kernel_set& kernels_for_call(const cpu& where,
                                                             const core::problem& p, bool prepared,
                                                             std::string_view call);

// The product as a problem, `steps` of its epilogue or null: with a gate among them B has twice the
// problem's columns. Throws carat::error, in one line naming the argument and both values.
[[nodiscard]] core::problem checked_problem(const detail::erased_matrix& a,
                                            const detail::erased_matrix& b,
                                            const detail::erased_matrix* e,
                                            const detail::erased_matrix& c,
                                            const detail::epilogue_steps* steps);

// Throws for steps that only GPUs take, in the name of that call.
void check_epilogue_on_cpu(const detail::epilogue_steps& steps, const std::string& call);

// Values of an epilogue: as many as C has rows or columns, there, and apart from C; an amax, which
// is written, from all else as well. Throws as above.
void check_epilogue(const detail::epilogue_steps& steps, const detail::erased_matrix& a,
                    const detail::erased_matrix& b, const detail::erased_matrix* e,
                    const detail::erased_matrix& c);

// Its strides, but for those that mean nothing and are too large to multiply.
[[nodiscard]] core::layout layout_of(const detail::erased_matrix& m);

// Whether two views are of one type, size and pair of strides; and begin at one element, too.
[[nodiscard]] bool same_strides(const detail::erased_matrix& x, const detail::erased_matrix& y);
[[nodiscard]] bool same_elements(const detail::erased_matrix& x, const detail::erased_matrix& y);

}  // namespace carat::api
