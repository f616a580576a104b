// This machine, measured briefly: for tests that must measure, but not well.
#pragma once

#include <algorithm>
#include <chrono>

#include "lab/machine/peaks.hpp"

namespace carat::machine {

// This machine as one that needs little memory, so that sanitizers measure it in reasonable time.
inline description small_machine() {
    description machine = describe();
    machine.memory_bytes = 256 << 20;
    machine.cores = std::min(machine.cores, 2);
    machine.core_cpus.resize(static_cast<std::size_t>(machine.cores));
    return machine;
}

inline measure_options brief() {
    measure_options options;
    options.budget_s = 0.2;
    return options;
}

inline std::int64_t now_s() {
    return std::chrono::duration_cast<std::chrono::seconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
}

}  // namespace carat::machine
