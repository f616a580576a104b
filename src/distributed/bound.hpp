// The least number of words that any schedule moves into or out of some rank, if every rank does
// its share of the multiply-adds and starts and ends with its share of A, B and C.
//
// H. Al Daas, G. Ballard, L. Grigori, S. Kumar and K. Rouse, "Tight memory-independent parallel
// matrix multiplication communication lower bounds", SPAA 2022: with the dimensions sorted,
// d1 >= d2 >= d3, and P ranks, a rank needs at least
//     (d1 d2 + d1 d3) / P + d2 d3              P <= d1 / d2          only one matrix is moved
//     2 (d1 d2 d3^2 / P)^(1/2) + d1 d2 / P     P <= d1 d2 / d3^2     two are
//     3 (d1 d2 d3 / P)^(2/3)                   otherwise             all three are
// elements, and has 1 / P of each matrix. With a memory of S words it also moves at least
// 2 d1 d2 d3 / (P S^(1/2)) - 2 S (T. M. Smith, B. Lowery, J. Langou and R. A. van de Geijn, 2019).
#pragma once

#include "distributed/schedule.hpp"

namespace carat::distributed {

// The bound on the words of the busiest rank.
[[nodiscard]] double least_words(const task& what);

}  // namespace carat::distributed
