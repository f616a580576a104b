// What the scheduler has done to the threads of this process so far.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

namespace carat::process {

struct scheduling {
    // How often a runnable thread lost its processor.
    std::int64_t displaced = 0;
    // How long each living thread has waited for a processor, in nanoseconds; empty if the system
    // does not tell.
    std::map<int, std::uint64_t> waited_ns;
};

[[nodiscard]] scheduling scheduling_so_far();

// The seconds that the threads of `now` have waited in total since `before`, or none if unknown.
// Threads that ended in between are not counted.
[[nodiscard]] std::optional<double> waited_s(const scheduling& before, const scheduling& now);

}  // namespace carat::process
