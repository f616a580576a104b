// Queries this process's OpenMP runtime: how many threads a region would have, and where. It is the
// program's own runtime if it has one; otherwise libgomp, which is opened at the first query, so a
// program that never multiplies does not pay for it, and one that loads OpenMP later shares it.
#pragma once

namespace carat::core {

// Declared as in omp.h.
struct openmp {
    int (*in_parallel)();
    int (*max_threads)();   // a region's, OMP_THREAD_LIMIT aside under libgomp
    int (*thread_limit)();  // of all regions together
    int (*proc_bind)();
    int (*num_places)();
    int (*place_num_procs)(int place);
    void (*place_proc_ids)(int place, int* ids);
};

// A process without a runtime gets the answers of one: no regions, OMP_NUM_THREADS or as many
// threads as this one has processors, OMP_THREAD_LIMIT, no places.
[[nodiscard]] const openmp& openmp_in_use();

// The threads that OMP_NUM_THREADS ("4", "4,2" or null) means on this number of processors.
[[nodiscard]] int threads_by_environment(const char* number, int processors);

// OMP_THREAD_LIMIT; the largest number if it is null or not a number.
[[nodiscard]] int limit_by_environment(const char* limit);

}  // namespace carat::core
