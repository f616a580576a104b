// Where workers may run: where the thread that starts them may. OpenMP may have bound that thread
// to a single place (OMP_PROC_BIND); then, on all of OpenMP's places.
#pragma once

#include <pthread.h>

namespace carat::core {

void let_run_everywhere(pthread_attr_t& attributes);

}  // namespace carat::core
