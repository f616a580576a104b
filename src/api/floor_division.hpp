// Division of whole numbers of either sign by a positive one, rounded down or up.
#pragma once

#include <cstdint>

namespace carat::api {

[[nodiscard]] constexpr std::int64_t floor_of(std::int64_t value, std::int64_t by) {
    return value / by - (value % by < 0 ? 1 : 0);
}
[[nodiscard]] constexpr std::int64_t ceiling_of(std::int64_t value, std::int64_t by) {
    return value / by + (value % by > 0 ? 1 : 0);
}
[[nodiscard]] constexpr std::int64_t remainder_of(std::int64_t value, std::int64_t by) {
    return value - floor_of(value, by) * by;
}

}  // namespace carat::api
