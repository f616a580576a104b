// The system's view of a worker: its processors, scheduling policy, nice value and signals. They
// are those of the process's first thread, whoever made the call. If that thread has changed, a
// worker follows before it next sleeps (ADR 0113).
#pragma once

#include <sched.h>
#include <sys/types.h>

namespace carat::core {

// Starts a detached thread that leaves signals to the program's own threads, except those of its
// own faults. OpenMP may have bound the first thread to one place (OMP_PROC_BIND); workers may then
// use all of OpenMP's places. Returns whether it succeeded.
bool start_worker_thread(void* (*run)(void*), void* argument);

// What a worker last saw of the first thread; created on the worker.
class standing {
  public:
    standing();
    // Adopts what has changed since, as far as the system allows it. Takes 2 us.
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

// Moves this thread from `cpu` to another processor that it may use, if there are enough for this
// number of threads. The system wakes a thread beside its waker if it believes other processors
// gone, as a guest may believe of all that sleep (ADR 0113).
void leave_processor(int cpu, int threads);

}  // namespace carat::core
