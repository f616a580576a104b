// Which products are asked of a target: those that it is tried with, and those that are timed. A
// kernel may refuse products; what it takes of those that would be timed is found here.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lab/judge/party.hpp"

namespace carat::judge {

// Single rows, columns and terms, multiples of tiles' sides and what is just beside one, what is
// long in one direction, and any.
[[nodiscard]] std::vector<request::shape> shapes_to_try(stream& shapes);

struct timed_product {
    request::shape size;
    row_layout rows;
};

// In the order in which the target is asked; the first that it takes is timed.
using alternatives = std::vector<timed_product>;

// Of each size: padded rows, then contiguous ones. A size that is not the user's gives way to cubes
// and to multiples of tiles' sides, where only those are taken.
[[nodiscard]] std::vector<alternatives> products_to_time(const options& r, bool on_gpu,
                                                         stream& shapes);

// None where it refuses all.
[[nodiscard]] std::optional<timed_product> first_taken(party& target, dtype type, int threads,
                                                       const alternatives& of);

}  // namespace carat::judge
