// How many threads a call may use.
#pragma once

namespace carat::blas {

// CARAT_NUM_THREADS, else 0: what OpenMP offers (OMP_NUM_THREADS). 1 inside a parallel region of
// the caller, and in a forked child whose parent had threads: libgomp would wait for a team that
// did not survive the fork.
[[nodiscard]] int thread_limit();

}  // namespace carat::blas
