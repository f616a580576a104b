// What there is to measure on a machine: each unit it has, and reading working sets of every size
// that matters, from half of L1 to several times the last cache.
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

// For one thread, for all cores and for `others` between.
[[nodiscard]] measuring_plan plan_measurement(const description& machine,
                                              const std::vector<int>& others = {});

// The working sets alone: from half of L1 by factors of sqrt(2), beyond 32 MiB of 2, to four times
// a thread's share of the last cache, as far as an eighth of memory goes.
[[nodiscard]] std::vector<read_task> plan_reading(const description& machine,
                                                  const std::vector<int>& others = {});

// Bytes of the equal parts in which a working set is read, one a repetition: rounds stay short.
[[nodiscard]] std::int64_t slice_bytes(std::int64_t working_set_bytes);

// Whether `limits` has a figure for everything in the plan.
[[nodiscard]] bool covers(const peaks& limits, const measuring_plan& plan);

// Cores that share one such cache, as far as they are among `threads` measuring ones.
[[nodiscard]] int sharing_cores(const description& machine, const cache& shared, int threads);

}  // namespace carat::machine
