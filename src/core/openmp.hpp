// The OpenMP runtime of this process, which is only asked: how many threads a region would have,
// and where. It is the program's own where that has one in sight; else libgomp, which is opened at
// the first question, so that a program that never multiplies doesn't pay for it and one that loads
// OpenMP later shares it.
#pragma once

namespace carat::core {

// As omp.h has them.
struct openmp {
    int (*in_parallel)();
    int (*max_threads)();   // a region's, OMP_THREAD_LIMIT aside under libgomp
    int (*thread_limit)();  // of all regions together
    int (*proc_bind)();
    int (*num_places)();
    int (*place_num_procs)(int place);
    void (*place_proc_ids)(int place, int* ids);
};

// Where there is none it answers as a runtime would: no regions, OMP_NUM_THREADS or else as many
// threads as this one has processors, OMP_THREAD_LIMIT, no places.
[[nodiscard]] const openmp& openmp_in_use();

// Threads by OMP_NUM_THREADS ("4" or "4,2"), which may be null, on so many processors.
[[nodiscard]] int threads_by_environment(const char* number, int processors);

// OMP_THREAD_LIMIT; the largest number where it is null or no number.
[[nodiscard]] int limit_by_environment(const char* limit);

}  // namespace carat::core
