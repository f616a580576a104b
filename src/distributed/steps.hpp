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

#include <carat/types.hpp>

#include "distributed/schedule.hpp"

namespace carat::distributed {

// What decides into how many pieces a face is cut: many hide the messages better, and few make
// better products. The same numbers on all ranks, so that all know each other's steps.
struct pace {
    double madds_per_s = 0;
    double words_per_s = 0;
    double start_s = 0;    // of a product: launch, first and last tile
    double latency_s = 0;  // of a message
    double units = 1;      // SMs that multiply tiles of tile x tile; 1 x 1: no such grain
    std::int64_t tile = 1;
    bool overlaps = true;          // messages travel while products run
    double units_of_messages = 0;  // that they take from products meanwhile

    // The pace of products that run beside messages.
    [[nodiscard]] pace beside_messages() const;
};

// GPUs as measured on H200s (docs/distributed.md), and any CPU beside its memory.
// `units_of_messages`: place::units_of_messages().
[[nodiscard]] pace pace_of(bool is_host, dtype operands, bool overlaps = true,
                           int units_of_messages = 0);

// The time of a product by itself.
[[nodiscard]] double time_of(const box& product, const pace& by);

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
                                         const share& held_b, const pace& by);

// The time of steps whose messages follow each other, while products run or between them.
[[nodiscard]] double time_of(const std::vector<step>& steps, const share& held_a,
                             const share& held_b, const pace& by);

}  // namespace carat::distributed
