#include "lab/rows/catalogue.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <utility>

#include <carat/error.hpp>

#include "lab/rows/edit_distance.hpp"

namespace carat::rows {

namespace {

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
    const bool of_gpu =
        preferred == device::cuda || name.starts_with("cu") || last_part(name).starts_with("cu");
    if (of_gpu &&
        std::ranges::find(entries_, device::cuda, &implementation::where) == entries_.end())
        throw error(error_code::invalid_argument,
                    asked +
                        "is for a GPU, and this build was made without CUDA (carat list shows "
                        "all)");
    const auto distance = [&](const implementation* e) {
        return std::pair(
            std::min(edit_distance(name, e->name), edit_distance(name, last_part(e->name))),
            e->where != preferred);
    };
    const auto nearest = std::ranges::min_element(entries_, {}, distance);
    const std::string hint = nearest == entries_.end()
                                 ? std::string("the catalogue is empty")
                                 : "the nearest is " + std::string((*nearest)->name);
    throw error(error_code::invalid_argument,
                asked + "is unknown: " + hint + " (carat list shows all)");
}

}  // namespace carat::rows
