// The number of threads of a call.
#pragma once

namespace carat::blas {

// CARAT_NUM_THREADS, or what OpenMP offers (OMP_NUM_THREADS); no more than the program set in an
// OpenBLAS with its own threads; one inside a parallel region of the caller and inside a piece of a
// shared call.
[[nodiscard]] int thread_limit();

}  // namespace carat::blas
