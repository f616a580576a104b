// The machine: processor, caches, memory, and how much of them this process may use. Facts come
// from hwloc, /proc, /sys and CPUID; an unknown fact stays 0 or empty and is printed as "unknown",
// never guessed.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/isa.hpp"

namespace carat::machine {

struct cache {
    int level = 0;
    std::string kind;  // "data", "unified" or "instruction"
    std::int64_t size_bytes = 0;
    int line_bytes = 0;
    int ways = 0;
    int shared_by = 0;  // hardware threads of the machine that use one such cache

    bool operator==(const cache&) const = default;
};

struct description {
    std::string cpu_model;
    std::string vendor;
    std::string hypervisor;  // "KVM", ...; empty on bare metal
    std::string os;
    std::string kernel;

    int cores = 0;             // physical cores this process may use at once: affinity and quota
    int hardware_threads = 0;  // hardware threads its affinity allows
    int threads_per_core = 0;
    double cpu_quota = 0;  // processors' worth of time the control group grants; 0: no limit
    int numa_nodes = 0;
    std::int64_t memory_bytes = 0;  // of the machine or of the control group, the smaller

    std::vector<std::string> isa;  // levels from the least, then single features worth knowing
    core::isa isa_in_use = core::isa::baseline;
    double frequency_current_mhz = 0;
    double frequency_max_mhz = 0;
    std::vector<cache> caches;  // one of each level and kind, those of the fastest allowed core

    // The system's number of one hardware thread of each core, for pinning. If cores differ the
    // fastest come first, so that the limits of one thread are those of the best core. For the lab
    // only; results do not contain it.
    std::vector<int> core_cpus;
};

// Takes some milliseconds. Throws carat::error only if CARAT_FORCE_ISA is wrong.
[[nodiscard]] description describe();

// The memory that this process's control group still grants; 0: all there is.
[[nodiscard]] std::int64_t memory_left_by_group();

// The data or unified cache of `level`, or null.
[[nodiscard]] const cache* data_cache(const description& machine, int level);

// The object "machine" of docs/results.md, without "peaks" and "gpus".
[[nodiscard]] nlohmann::json to_json(const description& machine);

}  // namespace carat::machine
