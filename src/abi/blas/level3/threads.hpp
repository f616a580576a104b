// How many threads a call may use.
#pragma once

namespace carat::blas {

// CARAT_NUM_THREADS, else what OpenMP offers (OMP_NUM_THREADS); no more than the program set in an
// OpenBLAS with threads of its own; one where a team can't be had:
// inside a parallel region of the caller, and in the forked child of a program with threads.
[[nodiscard]] int thread_limit();

}  // namespace carat::blas
