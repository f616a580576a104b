#include "distributed/relabel.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "distributed/movement.hpp"

namespace carat::distributed {

namespace {

using sets = std::vector<index_set>;

// What each rank holds of a dimension of a matrix.
sets sets_of(const distribution& where, index_set share::*along) {
    sets all;
    for (int rank = 0; rank < where.ranks(); ++rank) all.push_back(where.of(rank).*along);
    return all;
}

sets distinct(const sets& all) {
    sets found;
    for (const index_set& s : all)
        if (s.size() > 0 && std::ranges::find(found, s) == found.end()) found.push_back(s);
    return found;
}

// The sets of which every index is in exactly one, if both matrices are dealt out in these.
sets common_sets(const sets& x, const sets& y, std::int64_t size) {
    sets found = distinct(x);
    std::int64_t members = 0;
    for (const index_set& s : found) members += s.size();
    const auto is_known = [&](const index_set& s) {
        return std::ranges::find(found, s) != found.end();
    };
    if (members != size || !std::ranges::all_of(distinct(y), is_known)) return {};
    return found;
}

void number_anew(sets& all, const sets& in_order) {
    for (index_set& s : all) {
        std::int64_t begin = 0;
        index_range range;
        for (const index_set& before : in_order) {
            if (before == s) range = {begin, begin + before.size()};
            begin += before.size();
        }
        s = range;
    }
}

distribution dealt(const distribution& like, const sets& rows, const sets& cols) {
    std::vector<share> shares;
    for (std::size_t rank = 0; rank < rows.size(); ++rank)
        shares.push_back({rows[rank], cols[rank]});
    return distribution::of_shares(like.rows(), like.cols(), std::move(shares));
}

}  // namespace

layouts relabelled(const layouts& given) {
    if (given.a.is_replicated() || given.b.is_replicated() || given.c.is_replicated()) return given;
    struct operand {
        sets rows, cols;
        explicit operand(const distribution& of)
            : rows(sets_of(of, &share::rows)), cols(sets_of(of, &share::cols)) {}
    };
    operand a(given.a), b(given.b), c(given.c);
    const std::array<std::pair<sets*, sets*>, 3> dimensions = {
        {{&a.rows, &c.rows}, {&b.cols, &c.cols}, {&a.cols, &b.rows}}};
    const std::array<std::int64_t, 3> sizes = {given.c.rows(), given.c.cols(), given.a.cols()};
    bool changed = false;
    for (std::size_t i = 0; i < dimensions.size(); ++i) {
        const auto [x, y] = dimensions[i];
        const sets found = common_sets(*x, *y, sizes[i]);
        if (std::ranges::all_of(found, [](const index_set& s) { return is_range(s); })) continue;
        number_anew(*x, found);
        number_anew(*y, found);
        changed = true;
    }
    if (!changed) return given;
    return {dealt(given.a, a.rows, a.cols), dealt(given.b, b.rows, b.cols),
            dealt(given.c, c.rows, c.cols)};
}

}  // namespace carat::distributed
