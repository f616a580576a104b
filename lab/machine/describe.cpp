#include <algorithm>
#include <array>
#include <sys/utsname.h>
#include <unistd.h>
#include <utility>

#include "lab/machine/affinity.hpp"
#include "lab/machine/isa_features.hpp"
#include "lab/machine/sources.hpp"

namespace carat::machine {

namespace {

template <class T>
void fill(T& known, const T& more) {
    if (known == T{}) known = more;
}

void fill_cache(std::vector<cache>& known, const cache& more) {
    if (more.level < 1 || more.size_bytes < 1) return;
    const auto same = std::find_if(known.begin(), known.end(), [&](const cache& c) {
        return c.level == more.level && c.kind == more.kind;
    });
    if (same == known.end()) {
        known.push_back(more);
        return;
    }
    fill(same->size_bytes, more.size_bytes);
    fill(same->line_bytes, more.line_bytes);
    fill(same->ways, more.ways);
    fill(same->shared_by, more.shared_by);
}

// The machine's levels, lowest first, then the features that no level implies.
std::vector<std::string> isa_names() {
#if defined(__x86_64__)
    std::vector<std::string> names = {"x86-64"};
#elif defined(__aarch64__)
    std::vector<std::string> names = {"aarch64"};
#else
    std::vector<std::string> names = {"baseline"};
#endif
    for (const core::isa level : core::all_isas)
        if (level != core::isa::baseline && core::has(level)) names.emplace_back(core::name(level));
    static constexpr std::array implied = {"sse4_2",  "avx",      "avx2",     "fma",     "f16c",
                                           "avx512f", "avx512bw", "avx512dq", "avx512vl"};
    for (const std::string& feature : isa_features())
        if (std::find(implied.begin(), implied.end(), feature) == implied.end())
            names.push_back(feature);
    return names;
}

}  // namespace

void fill_gaps(description& known, const description& more) {
    fill(known.cpu_model, more.cpu_model);
    fill(known.vendor, more.vendor);
    fill(known.hypervisor, more.hypervisor);
    fill(known.os, more.os);
    fill(known.kernel, more.kernel);
    // Counts must come from the same source as the numbers for pinning.
    if (known.cores == 0) {
        known.cores = more.cores;
        known.hardware_threads = more.hardware_threads;
        known.threads_per_core = more.threads_per_core;
        known.core_cpus = more.core_cpus;
    }
    fill(known.numa_nodes, more.numa_nodes);
    fill(known.memory_bytes, more.memory_bytes);
    fill(known.frequency_current_mhz, more.frequency_current_mhz);
    fill(known.frequency_max_mhz, more.frequency_max_mhz);
    for (const cache& c : more.caches) fill_cache(known.caches, c);
    std::sort(known.caches.begin(), known.caches.end(), [](const cache& a, const cache& b) {
        return std::pair(a.level, a.kind) < std::pair(b.level, b.kind);
    });
}

description from_posix() {
    description found;
    utsname names{};
    if (uname(&names) == 0) {
        found.os = names.sysname;
        found.kernel = std::string(names.sysname) + " " + names.release;
    }
    found.cores = found.hardware_threads =
        std::max(1, static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN)));
    found.threads_per_core = 1;
    found.memory_bytes = std::int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE);
#if defined(_SC_LEVEL1_DCACHE_SIZE)
    found.caches = {{1, "data", sysconf(_SC_LEVEL1_DCACHE_SIZE), 0, 0, 0},
                    {2, "unified", sysconf(_SC_LEVEL2_CACHE_SIZE), 0, 0, 0},
                    {3, "unified", sysconf(_SC_LEVEL3_CACHE_SIZE), 0, 0, 0}};
#endif
    return found;
}

description describe() {
    const cpu_list allowed = fastest_first(allowed_cpus(), "/");
    description machine = from_hwloc(allowed);
    fill_gaps(machine, from_files("/", allowed));
    fill_gaps(machine, from_cpuid());
    fill_gaps(machine, from_posix());
    machine.core_cpus = fastest_first(std::move(machine.core_cpus), "/");
    apply(machine, read_group_limits("/"));
    machine.isa = isa_names();
    machine.isa_in_use = core::isa_in_use();
    return machine;
}

const cache* data_cache(const description& machine, int level) {
    for (const cache& c : machine.caches)
        if (c.level == level && c.kind != "instruction") return &c;
    return nullptr;
}

}  // namespace carat::machine
