// Block-cyclic layouts as blocks. A product stays the same if the rows of A and C, the columns of B
// and C, or the columns of A and the rows of B are numbered anew. So where both operands of a
// dimension are dealt to the ranks in the same sets of indices, these sets are numbered one after
// another:
//
//     held by ranks   0 0 1 1 0 0 1 1 0      becomes      0 0 0 0 0 1 1 1 1
//
// No element moves: a local matrix has its rows and columns in ascending order, before and after.
// What was blocks is then ranges, which schedules and messages cut less.
#pragma once

#include "distributed/choice.hpp"

namespace carat::distributed {

// The same on all ranks, as the layouts are.
[[nodiscard]] layouts relabelled(const layouts& given);

}  // namespace carat::distributed
