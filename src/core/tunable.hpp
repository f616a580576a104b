// Parameters that a user, `carat tune` or the library itself may set, and the values they are
// given.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace carat::core {

// `--tile-size 64` or `tiled[tile-size=64]`.
struct tunable {
    std::string_view name;
    std::int64_t initial;
    std::int64_t least;
    std::int64_t most;
    std::string_view meaning;
    std::span<const std::int64_t> worth_trying = {};  // by `carat tune`
};

using tunable_values = std::map<std::string, std::int64_t, std::less<>>;

struct settings {
    int threads = 1;
    tunable_values tunables;

    // The value set for `t`, or its default.
    [[nodiscard]] std::int64_t value(const tunable& t) const;
};

// Why an implementation with tunables `known` cannot take these values on any machine; empty if it
// can.
[[nodiscard]] std::string reason_against_tunables(std::span<const tunable> known,
                                                  const tunable_values& asked);

}  // namespace carat::core
