// How many threads a call may use.
#pragma once

namespace carat::blas {

// CARAT_NUM_THREADS, else what OpenMP offers (OMP_NUM_THREADS); no more than the program set in an
// OpenBLAS with threads of its own; one inside a parallel region of the caller, and inside a piece
// of a call that threads share already.
[[nodiscard]] int thread_limit();

}  // namespace carat::blas
