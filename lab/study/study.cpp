#include "lab/study/study.hpp"

#include <algorithm>
#include <fmt/format.h>

#include <carat/error.hpp>

namespace carat::study {

namespace {

const definition* by_name(std::string_view name) {
    for (const definition& s : studies())
        if (s.name == name) return &s;
    std::string known;
    for (const definition& s : studies()) known += ", " + std::string(s.name);
    throw error(error_code::invalid_argument,
                fmt::format("unknown study '{}': there are all{}", name, known));
}

}  // namespace

std::string_view name(extent e) {
    switch (e) {
        case extent::quick:
            return "quick";
        case extent::usual:
            return "usual";
        case extent::full:
            return "full";
    }
    return "?";
}

std::span<const definition> studies() {
    static const definition all[] = {five_algorithms, crossover, ladder,
                                     tile_size,       precision, workloads};
    return all;
}

std::vector<const definition*> find(std::string_view names) {
    std::vector<const definition*> found;
    if (names == "all") {
        for (const definition& s : studies()) found.push_back(&s);
        return found;
    }
    for (std::size_t first = 0; first <= names.size();) {
        const std::size_t end = std::min(names.find(',', first), names.size());
        found.push_back(by_name(names.substr(first, end - first)));
        first = end + 1;
    }
    return found;
}

}  // namespace carat::study
