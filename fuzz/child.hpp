// A child process that is killed if it makes no progress.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

namespace carat::fuzz {

struct ending {
    int status = 0;         // as waitpid() tells
    bool in_time = true;    // else it was killed
    bool is_there = false;  // even then: the system could not end it
};

// Forks, runs `work` in the child, which must end it, and waits. The child is killed if `progress`
// does not change for `most`.
[[nodiscard]] ending end_of_child(const std::function<void()>& work, std::chrono::seconds most,
                                  const std::function<std::uint64_t()>& progress);

}  // namespace carat::fuzz
