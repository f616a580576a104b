#include "core/worker_cpus.hpp"

#include <sched.h>
#include <vector>

#include "core/openmp.hpp"

namespace carat::core {

void let_run_everywhere(pthread_attr_t& attributes) {
    const openmp& runtime = openmp_in_use();
    constexpr int not_bound = 0;  // omp_proc_bind_false
    if (runtime.proc_bind() == not_bound || runtime.num_places() == 0) return;
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    for (int place = 0; place < runtime.num_places(); ++place) {
        std::vector<int> ids(static_cast<std::size_t>(runtime.place_num_procs(place)));
        runtime.place_proc_ids(place, ids.data());
        for (const int id : ids)
            if (id >= 0 && id < CPU_SETSIZE) CPU_SET(static_cast<std::size_t>(id), &allowed);
    }
    pthread_attr_setaffinity_np(&attributes, sizeof allowed, &allowed);
}

void leave_processor(int cpu, int threads) {
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0 || CPU_COUNT(&allowed) < threads)
        return;
    cpu_set_t others = allowed;
    CPU_CLR(static_cast<std::size_t>(cpu), &others);
    if (sched_setaffinity(0, sizeof others, &others) == 0)
        sched_setaffinity(0, sizeof allowed, &allowed);
}

}  // namespace carat::core
