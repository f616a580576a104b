// Sizes of products: mostly small, some that take all paths.
#pragma once

#include "product_case.hpp"

namespace carat::fuzz {

// Multiplications that a case may be of: thousands of small ones a second, some that take all
// paths. On a GPU of each size so many that they take the host as long as those of a tenth of it:
// it looks at their faces, of which a product has (M N K)^(2/3).
[[nodiscard]] std::size_t draw_work(random_numbers& random, bool on_gpu);

// Within so much work.
[[nodiscard]] product_size draw_size(random_numbers& random, std::size_t work, bool on_gpu);

// Large enough for the tiles of persistent kernels: of batches, which these take in turn, or up to
// `most` times as many rows and columns.
[[nodiscard]] product_size draw_tiles(random_numbers& random, std::size_t most);

}  // namespace carat::fuzz
