// What there is to measure on a machine: each unit it has, and each level of memory with a working
// set that lies in that level and in no smaller one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lab/machine/kernels.hpp"
#include "lab/machine/peaks.hpp"

namespace carat::machine {

struct compute_task {
    leveled_kernel what;
    int threads;
};

struct read_task {
    std::string level;
    int threads;
    std::int64_t bytes;  // for each thread, a multiple of 4096
};

struct measuring_plan {
    std::vector<compute_task> compute;
    std::vector<read_task> read;
};

[[nodiscard]] measuring_plan plan_measurement(const description& machine);

// The working sets alone: half of what a thread has of each cache, counting the threads that share
// it; where that would not leave the smaller cache clearly behind, the smaller cache and half of
// this one. DRAM: four times the last cache, left out when memory is too small for twice of it.
[[nodiscard]] std::vector<read_task> plan_reading(const description& machine);

// Bytes of the equal parts in which a working set is read, one a repetition: rounds stay short.
[[nodiscard]] std::int64_t slice_bytes(std::int64_t working_set_bytes);

// Whether `limits` has a figure for everything in the plan.
[[nodiscard]] bool covers(const peaks& limits, const measuring_plan& plan);

// Cores that share one such cache, as far as they are among `threads` measuring ones.
[[nodiscard]] int sharing_cores(const description& machine, const cache& shared, int threads);

}  // namespace carat::machine
