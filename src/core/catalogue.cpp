#include "core/catalogue.hpp"

#include <algorithm>
#include <numeric>
#include <set>
#include <stdexcept>

#include <carat/error.hpp>

namespace carat::core {

namespace {

// Levenshtein distance.
std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t substitution = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitution});
        }
    }
    return row.back();
}

std::string_view last_part(std::string_view name) {
    return name.substr(name.rfind('.') + 1);
}

bool is_tail(std::string_view name, std::string_view tail) {
    return name == tail || (name.size() > tail.size() && name.ends_with(tail) &&
                            name[name.size() - tail.size() - 1] == '.');
}

}  // namespace

catalogue::catalogue(std::initializer_list<table> tables) {
    std::set<std::string_view> names;
    for (const table& rows : tables)
        for (const implementation* entry : rows) {
            if (!names.insert(entry->name).second)
                throw std::logic_error("catalogue: two entries named " + std::string(entry->name));
            entries_.push_back(entry);
        }
}

const implementation& catalogue::find(std::string_view name, device preferred) const {
    const auto exact = std::ranges::find(entries_, name, &implementation::name);
    if (exact != entries_.end()) return **exact;

    std::vector<const implementation*> matches;
    std::ranges::copy_if(entries_, std::back_inserter(matches),
                         [&](const implementation* e) { return is_tail(e->name, name); });
    if (matches.size() == 1) return *matches.front();
    std::vector<const implementation*> there;
    std::ranges::copy_if(matches, std::back_inserter(there),
                         [&](const implementation* e) { return e->where == preferred; });
    if (there.size() == 1) return *there.front();

    const std::string asked = "implementation '" + std::string(name) + "' ";
    if (matches.size() > 1) {
        std::string candidates;
        for (const implementation* e : matches)
            candidates += (candidates.empty() ? "" : ", ") + std::string(e->name);
        throw error(error_code::invalid_argument, asked + "is ambiguous: say one of " + candidates);
    }
    const auto distance = [&](const implementation* e) {
        return std::min(edit_distance(name, e->name), edit_distance(name, last_part(e->name)));
    };
    const auto nearest = std::ranges::min_element(entries_, {}, distance);
    const std::string hint = nearest == entries_.end()
                                 ? std::string("the catalogue is empty")
                                 : "the nearest is " + std::string((*nearest)->name);
    throw error(error_code::invalid_argument,
                asked + "is unknown: " + hint + " (carat list shows all)");
}

}  // namespace carat::core
