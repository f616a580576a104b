// What the scheduler has done to the threads of this process so far.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

namespace carat::process {

struct scheduling {
    // How often a thread lost its processor while it would have gone on.
    std::int64_t displaced = 0;
    // Of each thread that lives, nanoseconds it waited for a processor; empty where the system does
    // not tell.
    std::map<int, std::uint64_t> waited_ns;
};

[[nodiscard]] scheduling scheduling_so_far();

// Seconds that the threads of `now` have waited together since `before`; none: unknown. What ended
// in between isn't counted.
[[nodiscard]] std::optional<double> waited_s(const scheduling& before, const scheduling& now);

}  // namespace carat::process
