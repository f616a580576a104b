// C = alpha A B + beta C by carat's public call, but without its exceptions, since a BLAS caller
// cannot receive them.
#pragma once

#include <carat/views.hpp>

#include "api/multiply_part.hpp"

namespace carat::blas {

template <class T>
using view = matrix_view<T>;

// Does not read A and B if alpha = 0, nor C if beta = 0. If C overlaps A or B, which the BLAS
// forbids, the result is that for the operands before the call.
template <class T>
void multiply(T alpha, const view<const T>& a, const view<const T>& b, T beta,
              const view<T>& c) noexcept;

// Computes only these rows and columns of C, on the calling thread, with the same bits as in the
// whole.
template <class T>
void multiply_part(T alpha, const view<const T>& a, const view<const T>& b, T beta,
                   const view<T>& c, const api::part_of_c& part) noexcept;

// C = beta C; does not read C if beta = 0.
template <class T>
void scale(T beta, view<T> c);

// Ends the process with one line, for failures that no result can express.
[[noreturn]] void give_up(const char* why);

}  // namespace carat::blas
