#include "core/tunable.hpp"

#include <algorithm>

namespace carat::core {

namespace {

// "tile-size (1 to 4096) and room (0 to 3)".
std::string names_of(std::span<const tunable> known) {
    std::string text;
    for (const tunable& t : known) {
        const bool last = &t == &known.back();
        text += (text.empty() ? ""
                 : last       ? " and "
                              : ", ") +
                std::string(t.name) + " (" + std::to_string(t.least) + " to " +
                std::to_string(t.most) + ")";
    }
    return text;
}

}  // namespace

std::int64_t settings::value(const tunable& t) const {
    const auto found = tunables.find(t.name);
    return found == tunables.end() ? t.initial : found->second;
}

std::string reason_against_tunables(std::span<const tunable> known, const tunable_values& asked) {
    for (const auto& [key, value] : asked) {
        const auto found = std::ranges::find(known, key, &tunable::name);
        if (found == known.end())
            return "it has no tunable '" + key + "' to set to " + std::to_string(value) + ", " +
                   (known.empty() ? "nor any other" : "but " + names_of(known)) +
                   " (carat list NAME shows them)";
        if (value < found->least || value > found->most)
            return key + " " + std::to_string(value) + " is outside " +
                   std::to_string(found->least) + " to " + std::to_string(found->most) + " (" +
                   std::string(found->meaning) + ")";
    }
    return {};
}

}  // namespace carat::core
