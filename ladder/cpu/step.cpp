#include "ladder/cpu/step.hpp"

#include <algorithm>
#include <cmath>

#include "ladder/cpu/tiles.hpp"

namespace carat::ladder::cpu {

namespace {

bool is_int32(double value) {
    return value >= -0x1p31 && value < 0x1p31 && std::trunc(value) == value;
}

}  // namespace

std::string unsupported(const core::problem& p, const core::settings& s) {
    for (const auto& [name, value] : {std::pair("alpha", p.alpha), std::pair("beta", p.beta)}) {
        if (p.c_type == dtype::i32 && !is_int32(value))
            return std::string(name) + " " + std::to_string(value) +
                   " is not an int32: use a whole number";
    }
    const auto asked = s.tunables.find(tile_size.name);
    const std::int64_t widest = std::max({p.m, p.n, p.k, std::int64_t{1}});
    if (asked != s.tunables.end() && asked->second > widest)
        return std::string(tile_size.name) + " " + std::to_string(asked->second) +
               " is larger than the matrix (" + core::describe(p) + "): use at most " +
               std::to_string(widest);
    return {};
}

}  // namespace carat::ladder::cpu
