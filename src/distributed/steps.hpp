// The order in which a rank receives what its box needs of A and B and multiplies it, so that the
// next piece is on its way while the last one is multiplied.
//
// K whole: the face of A is cut along M and that of B along N. What the rank holds itself is the
// first piece of each; pieces of A and B then arrive in turn, and each is multiplied with all
// pieces of the other operand. No sum is ever split, so that C is written once.
//
//              B own    B 1     B 2
//     A own      0       2       4        the step in which a block of C is computed
//     A 1        1       2       4
//     A 2        3       3       4
//
// K in pieces, where memory is scarce: pieces of both operands arrive together, in two buffers that
// take turns, and their products are added up.
#pragma once

#include <optional>
#include <vector>

#include "distributed/schedule.hpp"

namespace carat::distributed {

struct region {
    index_range rows;
    index_range cols;

    [[nodiscard]] bool empty() const { return rows.empty() || cols.empty(); }
};

struct arrival {
    region what;
    int buffer = 0;
};

struct step {
    std::optional<arrival> a;
    std::optional<arrival> b;
    std::vector<box> products;
};

// `held_a` and `held_b`: what the rank holds.
[[nodiscard]] std::vector<step> steps_of(const schedule& plan, int rank, const share& held_a,
                                         const share& held_b);

// The number of buffers, for A or B, that such steps name.
[[nodiscard]] int buffers_of(const std::vector<step>& steps, std::optional<arrival> step::*which);

}  // namespace carat::distributed
