#include "core/signature.hpp"

#include <algorithm>
#include <vector>

#include "core/dtype_traits.hpp"

namespace carat::core {

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
std::string types_of(std::span<const signature> taken) {
    std::vector<std::string_view> types;
    std::string text;
    for (const signature& s : taken) {
        const std::string_view type = carat::name(s.a);
        if (std::ranges::find(types, type) != types.end()) continue;
        types.push_back(type);
        text += (text.empty() ? "" : ", ") + std::string(type);
    }
    return text;
}

}  // namespace

const signature* find_signature(std::span<const signature> taken, const problem& p) {
    const auto fits = [&](const signature& s) {
        return s.a == p.a_type && s.b == p.b_type && s.c == p.c_type;
    };
    const auto found = std::ranges::find_if(taken, fits);
    return found == taken.end() ? nullptr : &*found;
}

std::string reason_against_types(std::span<const signature> taken, const problem& p) {
    if (find_signature(taken, p) != nullptr) return {};
    return "it has no " + types_of(p) + " version; it takes " + types_of(taken);
}

}  // namespace carat::core
