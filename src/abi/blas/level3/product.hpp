// C = alpha A B + beta C by carat's public call, without its refusals: a caller of the BLAS can't
// be told of an error.
#pragma once

#include <carat/views.hpp>

#include "api/multiply_part.hpp"

namespace carat::blas {

template <class T>
using view = matrix_view<T>;

// A and B are not read when alpha = 0, C is not read when beta = 0. Where C overlaps A or B, which
// the BLAS forbids, the result is that of the operands before the call.
template <class T>
void multiply(T alpha, const view<const T>& a, const view<const T>& b, T beta,
              const view<T>& c) noexcept;

// Of rows and columns of C only, by the calling thread: the same bits as in the whole.
template <class T>
void multiply_part(T alpha, const view<const T>& a, const view<const T>& b, T beta,
                   const view<T>& c, const api::part_of_c& part) noexcept;

// C = beta C; C is not read when beta = 0.
template <class T>
void scale(T beta, view<T> c);

// Ends the process with one line: for what no result can tell.
[[noreturn]] void give_up(const char* why);

}  // namespace carat::blas
