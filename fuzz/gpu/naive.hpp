// The oracle's own kernel.
#pragma once

#include "fuzz/sums.hpp"

namespace carat::fuzz {

// Sums and magnitudes, one thread for each entry, each sum in two doubles (Ogita, Rump and Oishi,
// SIAM J. Sci. Comput. 26, 2005: Dot2).
void naive_sums(const product_size& size, std::span<const double> a, std::span<const double> b,
                const least_sizes& least, product_sums& to);

// Loads its code while there is memory.
bool load_naive_sums();

}  // namespace carat::fuzz
