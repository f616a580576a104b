// How many threads may multiply, and what a program that forks needs.
#pragma once

namespace carat::core {

// Threads to use at most when the caller asked for `asked`; 0 means what OpenMP offers here: its
// usual number, or one inside a parallel region of the caller. Always one in a forked child whose
// parent had threads: libgomp would wait there for a team that did not survive the fork.
[[nodiscard]] int most_threads(int asked);

// `once` computes what is computed at the first use and kept. From now on the forking thread calls
// it before every fork, so that no child begins while another thread is in the middle of it: the
// child would wait for that thread, which it does not have. Must not throw.
// Returns 0, or why not as an errno.
int finish_before_forks(void (*once)());

}  // namespace carat::core
