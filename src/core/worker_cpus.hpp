// Where workers may run: where the thread that starts them may. OpenMP may have bound that thread
// to a single place (OMP_PROC_BIND); then, on all of OpenMP's places.
#pragma once

#include <pthread.h>

namespace carat::core {

void let_run_everywhere(pthread_attr_t& attributes);

// Takes this thread, which runs on `cpu`, to another processor that it may use, where there are
// enough for so many threads. The system wakes a thread beside whoever wakes it where it takes
// other processors for gone, as a guest may take all that sleep (ADR 0113).
void leave_processor(int cpu, int threads);

}  // namespace carat::core
