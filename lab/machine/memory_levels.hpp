// Finds the levels of memory on a curve of bandwidth against working-set size. The system's
// description of caches only names them: a guest sees a cache that it shares with others, and a
// replacement policy may keep less than a cache holds.
//
//    GB/s  ______
//                \________
//                         \____         three plateaus: L1, L2, DRAM
//          working set of each thread
#pragma once

#include <vector>

#include "lab/machine/peaks.hpp"

namespace carat::machine {

// One entry for each number of threads and plateau: its name, its rate and the largest set on it. A
// cache without a plateau has none.
[[nodiscard]] std::vector<bandwidth_peak> levels_of(const description& machine,
                                                    const std::vector<reading_peak>& curve);

}  // namespace carat::machine
