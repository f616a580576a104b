// How many threads may multiply, and support for programs that fork.
#pragma once

namespace carat::core {

// The most threads to use for a request of `asked`. 0 means the default: what OpenMP offers here
// (OMP_NUM_THREADS, omp_set_num_threads, the process's processors, all within OMP_THREAD_LIMIT),
// limited to the processor time that the control group grants unless the program or the user named
// a number, and one inside a parallel region or a piece of another call.
[[nodiscard]] int most_threads(int asked);

// `once` computes values that are computed at first use and kept. A forking thread calls it before
// every fork, so that no child begins while another thread is in the middle of it; the child would
// wait for that thread, which it does not have. Must not throw.
// Returns 0, or an errno.
int finish_before_forks(void (*once)());

}  // namespace carat::core
