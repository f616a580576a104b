// The loop orders that the models know, and what they touch, access by access. These are the loops
// of ladder/cpu steps 1, 2, 4 and 5; a sum that a step keeps in a register is kept here too.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace carat::model {

struct sizes {
    std::int64_t m = 0, n = 0, k = 0;

    bool operator==(const sizes&) const = default;
};

enum class order : std::uint8_t {
    ijk,        // dot products of rows of A and columns of B
    ikj,        // rows of B added to rows of C
    tiled_ijk,  // tiles in the order i, j, k; dot products inside
    tiled_ikj,  // tiles in the order i, j, k; rows inside
};

inline constexpr order all_orders[] = {order::ijk, order::ikj, order::tiled_ijk, order::tiled_ikj};

[[nodiscard]] constexpr std::string_view name(order o) {
    constexpr std::string_view names[] = {"ijk", "ikj", "tiled ijk", "tiled ikj"};
    return names[static_cast<int>(o)];
}

[[nodiscard]] constexpr bool is_tiled(order o) {
    return o == order::tiled_ijk || o == order::tiled_ikj;
}
[[nodiscard]] constexpr bool is_ijk(order o) {
    return o == order::ijk || o == order::tiled_ijk;
}

struct schedule {
    order how = order::ijk;
    std::int64_t tile = 0;  // edge of its tiles; untiled orders have none
};

// The extents of one tile product, or of the matrices if there are no tiles.
[[nodiscard]] constexpr sizes tile_of(const schedule& s, const sizes& all) {
    if (!is_tiled(s.how)) return all;
    return {std::min(s.tile, all.m), std::min(s.tile, all.n), std::min(s.tile, all.k)};
}

enum class operand : std::uint8_t { a, b, c };

namespace detail {

// One product of tiles with its first element at `at`.
template <class Visit>
void visit_tile(bool dot_products, const sizes& at, const sizes& end, Visit&& visit) {
    for (std::int64_t i = at.m; i < end.m; ++i) {
        if (dot_products) {
            for (std::int64_t j = at.n; j < end.n; ++j) {
                for (std::int64_t k = at.k; k < end.k; ++k) {
                    visit(operand::a, i, k, false);
                    visit(operand::b, k, j, false);
                }
                visit(operand::c, i, j, false);
                visit(operand::c, i, j, true);
            }
        } else {
            for (std::int64_t k = at.k; k < end.k; ++k) {
                visit(operand::a, i, k, false);
                for (std::int64_t j = at.n; j < end.n; ++j) {
                    visit(operand::b, k, j, false);
                    visit(operand::c, i, j, false);
                    visit(operand::c, i, j, true);
                }
            }
        }
    }
}

}  // namespace detail

/// Calls visit(operand, row, column, is_write) for every load and store of C += A B, in order.
/// A is m x k, B k x n and C m x n; a tiled schedule has a tile of 1 or more, which need not
/// divide.
template <class Visit>
void for_each_access(const schedule& s, const sizes& all, Visit&& visit) {
    const sizes tile = tile_of(s, all);
    for (std::int64_t i = 0; i < all.m; i += tile.m)
        for (std::int64_t j = 0; j < all.n; j += tile.n)
            for (std::int64_t k = 0; k < all.k; k += tile.k)
                detail::visit_tile(is_ijk(s.how), {i, j, k},
                                   {std::min(i + tile.m, all.m), std::min(j + tile.n, all.n),
                                    std::min(k + tile.k, all.k)},
                                   visit);
}

}  // namespace carat::model
