#include "cli/pattern.hpp"

#include <algorithm>
#include <fnmatch.h>
#include <iterator>
#include <sstream>

#include <carat/error.hpp>

#include "lab/catalogue/catalogue.hpp"

namespace carat::cli {

std::string_view family_of(std::string_view name) {
    return name.substr(0, name.find_first_of("._", name.find('.') + 1));
}

implementations matching(const std::string& pattern) {
    const rows::table entries = lab::catalogue().entries();
    const auto chosen = [&](const auto& fits) {
        implementations found;
        std::ranges::copy_if(entries, std::back_inserter(found), fits, &rows::implementation::name);
        return found;
    };
    if (implementations members = chosen([&](auto name) { return family_of(name) == pattern; });
        !members.empty())
        return members;
    if (pattern.find_first_of("*?[") != std::string::npos)
        return chosen([&](std::string_view name) {
            return fnmatch(pattern.c_str(), std::string(name).c_str(), 0) == 0;
        });
    return chosen([&](auto name) { return name.find(pattern) != name.npos; });
}

void exclude(std::vector<request::selection>& chosen, const std::string& patterns) {
    std::istringstream list(patterns);
    for (std::string pattern; std::getline(list, pattern, ',');) {
        const implementations out = matching(pattern);
        const auto named = [&](const request::selection& s) {
            return std::ranges::find(out, s.entry) != out.end();
        };
        if (pattern.empty() || std::erase_if(chosen, named) == 0)
            throw error(error_code::invalid_argument,
                        "--exclude '" + pattern +
                            "' names none of what --impl chooses (carat list PATTERN shows what "
                            "it names)");
    }
    if (chosen.empty())
        throw error(error_code::invalid_argument,
                    "--exclude '" + patterns + "' leaves nothing of what --impl chooses");
}

}  // namespace carat::cli
