#include "core/worker_cpus.hpp"

#include <omp.h>
#include <sched.h>
#include <vector>

namespace carat::core {

void let_run_everywhere(pthread_attr_t& attributes) {
    if (omp_get_proc_bind() == omp_proc_bind_false || omp_get_num_places() == 0) return;
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    for (int place = 0; place < omp_get_num_places(); ++place) {
        std::vector<int> ids(static_cast<std::size_t>(omp_get_place_num_procs(place)));
        omp_get_place_proc_ids(place, ids.data());
        for (const int id : ids)
            if (id >= 0 && id < CPU_SETSIZE) CPU_SET(static_cast<std::size_t>(id), &allowed);
    }
    pthread_attr_setaffinity_np(&attributes, sizeof allowed, &allowed);
}

}  // namespace carat::core
