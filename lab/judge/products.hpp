// Chooses the products that a target is checked with and timed on. A kernel may refuse some; this
// finds what it takes of those to be timed.
#pragma once

#include <optional>
#include <vector>

#include "lab/judge/participant.hpp"

namespace carat::judge {

// Single rows, columns and terms; multiples of tile sides and their neighbours; long and arbitrary
// shapes.
[[nodiscard]] std::vector<request::shape> shapes_to_try(stream& shapes);

struct timed_product {
    request::shape size;
    row_layout rows;
};

// Listed in the order in which the target is asked. The first that it takes is timed.
using alternatives = std::vector<timed_product>;

// Padded rows come before contiguous ones of the same size. Sizes that the user did not request are
// followed by cubes and multiples of tile sides, for kernels that take only those.
[[nodiscard]] std::vector<alternatives> products_to_time(const options& r, bool on_gpu,
                                                         stream& shapes);

// Empty if the target refuses all.
[[nodiscard]] std::optional<timed_product> first_taken(participant& target, dtype type, int threads,
                                                       const alternatives& of);

}  // namespace carat::judge
