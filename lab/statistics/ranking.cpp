// See ranking.hpp.
#include "lab/statistics/ranking.hpp"

#include <algorithm>
#include <functional>
#include <string>

#include "lab/statistics/check.hpp"

namespace carat::statistics {

namespace {

using members = std::vector<bool>;  // which positions of the order hold one letter

bool contains(const members& outer, const members& inner) {
    for (std::size_t i = 0; i < inner.size(); ++i) {
        if (inner[i] && !outer[i]) return false;
    }
    return true;
}

// Keeps every letter that no other letter contains; of equal ones the first.
std::vector<members> absorb(const std::vector<members>& letters) {
    std::vector<members> kept;
    for (const members& letter : letters) {
        const auto holds = [&](const members& other) { return contains(other, letter); };
        if (std::ranges::any_of(kept, holds)) continue;
        std::erase_if(kept, [&](const members& other) { return contains(letter, other); });
        kept.push_back(letter);
    }
    return kept;
}

std::vector<members> split(const std::vector<members>& letters, index_pair pair) {
    std::vector<members> result;
    for (const members& letter : letters) {
        if (!letter[pair.first] || !letter[pair.second]) {
            result.push_back(letter);
            continue;
        }
        members without_second = letter, without_first = letter;
        without_second[pair.second] = false;
        without_first[pair.first] = false;
        result.push_back(std::move(without_second));
        result.push_back(std::move(without_first));
    }
    return absorb(result);
}

// a .. z, aa, ab ..: as the columns of a spreadsheet.
std::string name_of(std::size_t index) {
    std::string name;
    for (++index; index > 0; index = (index - 1) / 26) {
        name.insert(name.begin(), static_cast<char>('a' + (index - 1) % 26));
    }
    return name;
}

std::vector<std::size_t> positions_of(std::span<const std::size_t> order) {
    std::vector<std::size_t> positions(order.size(), order.size());
    for (std::size_t position = 0; position < order.size(); ++position) {
        const std::size_t group = order[position];
        detail::require(group < order.size() && positions[group] == order.size(),
                        "order is not a permutation of {} groups: entry {} does not fit",
                        order.size(), group);
        positions[group] = position;
    }
    return positions;
}

void check_pairs(std::span<const index_pair> pairs, std::size_t count) {
    for (const auto& [first, second] : pairs) {
        detail::require(first < count && second < count && first != second,
                        "pair ({}, {}) does not name two of {} groups", first, second, count);
    }
}

}  // namespace

std::vector<std::string> letter_display(std::span<const index_pair> different,
                                        std::span<const std::size_t> order) {
    const std::vector<std::size_t> positions = positions_of(order);
    check_pairs(different, order.size());
    if (order.empty()) return {};
    std::vector<members> letters{members(order.size(), true)};
    for (const auto& [first, second] : different) {
        letters = split(letters, {positions[first], positions[second]});
    }
    // The letter whose best member is best comes first.
    std::ranges::sort(letters, std::greater<>());
    std::vector<std::string> display(order.size());
    for (std::size_t letter = 0; letter < letters.size(); ++letter) {
        for (std::size_t position = 0; position < order.size(); ++position) {
            if (!letters[letter][position]) continue;
            std::string& text = display[order[position]];
            if (letters.size() > 26 && !text.empty()) text += ',';
            text += name_of(letter);
        }
    }
    return display;
}

std::vector<rank_range> rank_ranges(std::span<const index_pair> better_worse, std::size_t count) {
    check_pairs(better_worse, count);
    std::vector<rank_range> ranks(count, {1, count});
    for (const auto& [better, worse] : better_worse) {
        ++ranks[worse].best;
        --ranks[better].worst;
    }
    return ranks;
}

}  // namespace carat::statistics
