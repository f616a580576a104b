#include "core/implementation.hpp"

#include <algorithm>

#include "core/dtype_traits.hpp"

namespace carat::core {

std::int64_t settings::value(const tunable& t) const {
    const auto found = tunables.find(t.name);
    return found == tunables.end() ? t.initial : found->second;
}

const signature* find_signature(const implementation& entry, const problem& p) {
    const auto fits = [&](const signature& s) {
        return s.a == p.a_type && s.b == p.b_type && s.c == p.c_type;
    };
    const auto found = std::ranges::find_if(entry.signatures, fits);
    return found == entry.signatures.end() ? nullptr : &*found;
}

namespace {

// "f64", or "e5m2 x e4m3 -> f32" if they differ or C is narrower than sums.
std::string types_of(const problem& p) {
    std::string text(carat::name(p.a_type));
    if (p.b_type != p.a_type) text += " x " + std::string(carat::name(p.b_type));
    if (p.c_type != p.a_type || is_storage_type(p.c_type))
        text += " -> " + std::string(carat::name(p.c_type));
    return text;
}

// The types of A, once each: "f64, f32, i32".
std::string types_taken(const implementation& entry) {
    std::vector<std::string_view> types;
    std::string text;
    for (const signature& s : entry.signatures) {
        const std::string_view type = carat::name(s.a);
        if (std::ranges::find(types, type) != types.end()) continue;
        types.push_back(type);
        text += (text.empty() ? "" : ", ") + std::string(type);
    }
    return text;
}

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

// Checks the request first: a type or tile that exists nowhere is not this machine's fault.
std::string reason_against(const implementation& entry, const problem& p, const settings& s) {
    if (find_signature(entry, p) == nullptr)
        return "it has no " + types_of(p) + " version; it takes " + types_taken(entry);
    if (std::string why = reason_against_tunables(entry.tunables, s.tunables); !why.empty())
        return why;
    if (entry.unavailable != nullptr)
        if (std::string why = entry.unavailable(); !why.empty()) return why;
    return entry.unsupported == nullptr ? std::string() : entry.unsupported(p, s);
}

}  // namespace carat::core
