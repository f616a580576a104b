#include "distributed/parts.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "distributed/choice.hpp"
#include "distributed/movement.hpp"

namespace carat::distributed {

namespace {

using ranges = std::vector<index_range>;

// Thinner parts read and write C more often than one product does.
constexpr std::int64_t thinnest_part = 192;

// An operand: which of its dimensions are the lines of a face, and which is K.
struct operand {
    const distribution* where;
    index_set share::*lines;
    index_set share::*along;
    index_range face;

    [[nodiscard]] bool holds(int rank, index_range k) const {
        const share held = where->of(rank);
        return is_range(held) && (held.*lines).within.contains(face) &&
               (held.*along).within.contains(k);
    }
};

// The parts of K in which the ranks hold the face, in order; none if one holds a part of its lines.
ranges held_parts(const operand& of, index_range k) {
    if (of.where->is_replicated()) return {k};
    ranges found;
    for (int rank = 0; rank < of.where->ranks(); ++rank) {
        const share held = of.where->of(rank);
        if (!is_range(held)) return {};
        const index_range there = common((held.*of.along).within, k);
        if (there.empty() || common((held.*of.lines).within, of.face).empty()) continue;
        if (!(held.*of.lines).within.contains(of.face)) return {};
        found.push_back(there);
    }
    std::ranges::sort(found, {}, &index_range::begin);
    return found;
}

ranges cut_by(const ranges& x, const ranges& y) {
    std::set<std::int64_t> cuts;
    for (const ranges* all : {&x, &y})
        for (const index_range r : *all) cuts.insert({r.begin, r.end});
    ranges parts;
    for (auto at = cuts.begin(); at != cuts.end(); ++at)
        if (at != cuts.begin()) parts.push_back({*std::prev(at), *at});
    return parts;
}

// What of an operand arrives for a part of K, if it isn't there yet.
std::optional<int> next_arrival(const operand& of, const ranges& held, int rank, index_range part,
                                std::set<int>& present) {
    const auto found = std::ranges::find_if(held, [&](index_range r) { return r.contains(part); });
    const auto number = static_cast<int>(found - held.begin());
    if (of.holds(rank, *found) || !present.insert(number).second) return {};
    return number;
}

double words_and_copies(const schedule& plan) {
    const extents& whole = plan.what().size;
    const double copies = has_parts(plan) ? 1 : 2;  // other faces are packed and unpacked
    double most = 0;
    for (int rank = 0; rank < plan.what().ranks; ++rank) {
        const extents own = plan.of(rank).size();
        const auto missing = [&](dimension x, dimension y, dimension shared) {
            return static_cast<double>(own[x]) * static_cast<double>(own[y]) *
                   (1 - static_cast<double>(own[shared]) / static_cast<double>(whole[shared]));
        };
        using enum dimension;
        most = std::max(most, copies * (missing(m, k, n) + missing(k, n, m)) +
                                  words_of_a_sum * missing(m, n, k));
    }
    return most;
}

}  // namespace

std::vector<step> steps_in_parts(const box& own, int rank, const distribution& a,
                                 const distribution& b) {
    constexpr std::size_t most = 16;
    if (own.empty()) return {};
    const index_range m = own[dimension::m], n = own[dimension::n], k = own[dimension::k];
    const operand of_a{&a, &share::rows, &share::cols, m}, of_b{&b, &share::cols, &share::rows, n};
    const ranges held_a = held_parts(of_a, k), held_b = held_parts(of_b, k);
    if (held_a.empty() || held_b.empty()) return {};
    ranges parts = cut_by(held_a, held_b);
    const auto is_thin = [](index_range part) { return part.size() < thinnest_part; };
    if (parts.size() < 2 || parts.size() > most || std::ranges::any_of(parts, is_thin)) return {};
    // Ranks that share a face begin with different parts of it.
    std::size_t first = 0;
    for (const operand* of : {&of_a, &of_b})
        for (std::size_t i = 0; i < parts.size(); ++i)
            if (of->holds(rank, parts[i])) {
                first += i;
                break;
            }
    std::ranges::rotate(parts, parts.begin() + static_cast<std::ptrdiff_t>(first % parts.size()));
    std::vector<step> steps;
    std::set<int> present_a, present_b;
    for (const index_range part : parts) {
        step& s = steps.emplace_back();
        if (const auto i = next_arrival(of_a, held_a, rank, part, present_a))
            s.a = arrival{{m, held_a[static_cast<std::size_t>(*i)]}, *i};
        if (const auto i = next_arrival(of_b, held_b, rank, part, present_b))
            s.b = arrival{{held_b[static_cast<std::size_t>(*i)], n}, *i};
        s.products.push_back({{m, n, part}});
    }
    return steps;
}

bool has_parts(const schedule& plan) {
    if (!plan.is_grid()) return false;
    const extents own = plan.of(0).size();
    for (const dimension shared : {dimension::m, dimension::n})
        if (own[dimension::k] * own[shared] < thinnest_part * plan.what().size[shared])
            return false;
    return true;
}

schedule schedule_of_parts(const task& what) {
    schedule best(what);
    double least = words_and_copies(best);
    for_each_grid(what, [&](const schedule& plan) {
        const double here = words_and_copies(plan);
        if (here >= least) return;
        least = here;
        best = plan;
    });
    return best;
}

}  // namespace carat::distributed
