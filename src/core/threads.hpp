// How many threads may multiply, and what a program that forks needs.
#pragma once

namespace carat::core {

// Threads to use at most when the caller asked for `asked`. 0 means the usual number: what OpenMP
// offers here (OMP_NUM_THREADS, omp_set_num_threads, the processors of the process, all within
// OMP_THREAD_LIMIT), no more than the processors' worth of time that the control group grants
// unless the program or the user named a number, and one inside a parallel region of the caller or
// a piece of another call.
[[nodiscard]] int most_threads(int asked);

// `once` computes what is computed at the first use and kept. From now on the forking thread calls
// it before every fork, so that no child begins while another thread is in the middle of it: the
// child would wait for that thread, which it does not have. Must not throw.
// Returns 0, or why not as an errno.
int finish_before_forks(void (*once)());

}  // namespace carat::core
