// What to measure on a machine: each of its units, and reads of working sets from half of L1 to
// several times the last cache.
#pragma once

#include <cstdint>
#include <vector>

#include "lab/machine/kernels.hpp"
#include "lab/machine/peaks.hpp"

namespace carat::machine {

struct compute_task {
    leveled_kernel what;
    int threads;
};

struct read_task {
    int threads;
    std::int64_t bytes;  // for each thread, a multiple of 4096
    bool in_slices;      // so large that none of it is in a cache when its turn comes again
};

struct measuring_plan {
    std::vector<compute_task> compute;
    std::vector<read_task> read;
};

// The plan for one thread, for all cores, and for `others` between.
[[nodiscard]] measuring_plan plan_measurement(const description& machine,
                                              const std::vector<int>& others = {});

// The working sets alone: from half of L1 by factors of sqrt(2), beyond 32 MiB by 2, to four times
// a thread's share of the last cache, up to an eighth of memory.
[[nodiscard]] std::vector<read_task> plan_reading(const description& machine,
                                                  const std::vector<int>& others = {});

// The bytes of the equal parts in which a working set is read, one for each repetition, so that
// rounds stay short.
[[nodiscard]] std::int64_t slice_bytes(std::int64_t working_set_bytes);

// Whether `limits` has a figure for everything in the plan.
[[nodiscard]] bool covers(const peaks& limits, const measuring_plan& plan);

// How many of the `threads` measuring cores share one such cache.
[[nodiscard]] int sharing_cores(const description& machine, const cache& shared, int threads);

}  // namespace carat::machine
