// How a worker stands with the system: the processors it may use, its scheduling policy and nice
// value, the signals it takes. It stands as the process's first thread does, whoever's call started
// it; where that thread has changed, a worker follows before it next sleeps (ADR 0113).
#pragma once

#include <sched.h>
#include <sys/types.h>

namespace carat::core {

// Starts a detached thread that leaves the program's signals to the program's own threads, all but
// those of its own faults. OpenMP may have bound the first thread to a single place
// (OMP_PROC_BIND); workers may then use all of OpenMP's places. Returns whether it could.
bool start_worker_thread(void* (*run)(void*), void* argument);

// What a worker last saw of the first thread; made on the worker.
class standing {
  public:
    standing();
    // Takes over what has changed since, as far as the system allows it. Takes 2 us.
    void follow();

  private:
    struct attributes {
        cpu_set_t cpus;
        int policy;
        sched_param priority;
        int nice;
    };
    [[nodiscard]] static attributes of(pid_t thread);

    pid_t first_thread_;
    attributes seen_;
};

// Takes this thread, which runs on `cpu`, to another processor that it may use, where there are
// enough for so many threads. The system wakes a thread beside whoever wakes it where it takes
// other processors for gone, as a guest may take all that sleep (ADR 0113).
void leave_processor(int cpu, int threads);

}  // namespace carat::core
