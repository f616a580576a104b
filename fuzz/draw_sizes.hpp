// Sizes of products: mostly small, some large enough for every path.
#pragma once

#include "product_case.hpp"

namespace carat::fuzz {

// The number of multiplications of a case: thousands of small cases a second, and some that use
// every path. On a GPU the cases of each size together take the host as long as those of a tenth of
// it: the host's work is proportional to the faces of a product, (M N K)^(2/3).
[[nodiscard]] std::size_t draw_work(random_numbers& random, bool on_gpu);

// The product of the sizes is at most `work`.
[[nodiscard]] product_size draw_size(random_numbers& random, std::size_t work, bool on_gpu);

// Large enough for the tiles of persistent kernels: a batch, whose products these take in turn, or
// up to `most` times as many rows and columns.
[[nodiscard]] product_size draw_tiles(random_numbers& random, std::size_t most);

}  // namespace carat::fuzz
