// Ranks that admit what cannot be told apart.
//
// Two groups that share a letter were not shown to differ. The letters are the smallest set found
// by insert-and-absorb (Piepho, Journal of Computational and Graphical Statistics 13, 2004): start
// with one letter for all; each significant pair splits every letter that holds both; a letter
// contained in another is absorbed. "Not told apart" is not transitive, hence groups like "ab".
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace carat::statistics {

using index_pair = std::pair<std::size_t, std::size_t>;

/// Compact letter display of `count` groups, given every pair that differs. `order` lists the
/// groups best first, so that "a" goes to the best. Letters after "z" continue "aa", "ab" ... and
/// are then separated by commas within a group's text.
/// @throws std::invalid_argument when an index is out of range or order is not a permutation.
std::vector<std::string> letter_display(std::span<const index_pair> different,
                                        std::span<const std::size_t> order);

struct rank_range {
    std::size_t best = 1;   // 1 + the number of groups shown to be better
    std::size_t worst = 1;  // the count less the number shown to be worse
};

/// Ranks from pairs (better, worse), each shown to differ.
/// @throws std::invalid_argument when an index is out of range.
std::vector<rank_range> rank_ranges(std::span<const index_pair> better_worse, std::size_t count);

}  // namespace carat::statistics
