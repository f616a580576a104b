// The levels of memory, read off a curve of bandwidth against working-set size. What the system
// says of caches only names them: a guest is told of a cache that it shares with others, and a
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

// One entry for each number of threads and plateau: its name, its rate and the largest set on it.
// A cache without a plateau has none.
[[nodiscard]] std::vector<bandwidth_peak> levels_of(const description& machine,
                                                    const std::vector<reading_peak>& curve);

}  // namespace carat::machine
