#include "lab/machine/affinity.hpp"

#include <cstddef>
#include <memory>
#include <sched.h>

namespace carat::machine {

namespace {

// glibc's cpu_set_t ends at 1024 processors; some machines have more.
struct cpu_mask {
    explicit cpu_mask(std::size_t count)
        : set(CPU_ALLOC(count)), size_bytes(CPU_ALLOC_SIZE(count)), size(count) {
        CPU_ZERO_S(size_bytes, set.get());
    }

    struct release {
        void operator()(cpu_set_t* memory) const { CPU_FREE(memory); }
    };
    std::unique_ptr<cpu_set_t, release> set;
    std::size_t size_bytes;
    std::size_t size;  // in CPUs
};

}  // namespace

std::vector<int> allowed_cpus() {
    std::vector<int> cpus;
    for (std::size_t count = 1024; count <= 65536; count *= 4) {
        cpu_mask mask(count);
        if (sched_getaffinity(0, mask.size_bytes, mask.set.get()) != 0) continue;  // too small
        for (std::size_t cpu = 0; cpu < mask.size; ++cpu)
            if (CPU_ISSET_S(cpu, mask.size_bytes, mask.set.get()))
                cpus.push_back(static_cast<int>(cpu));
        break;
    }
    return cpus;
}

void pin_this_thread(int cpu) {
    cpu_mask mask(static_cast<std::size_t>(cpu) + 1);
    CPU_SET_S(static_cast<std::size_t>(cpu), mask.size_bytes, mask.set.get());
    (void)sched_setaffinity(0, mask.size_bytes, mask.set.get());
}

}  // namespace carat::machine
