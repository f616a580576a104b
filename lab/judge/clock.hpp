// The judge's clock, in a process that no target can reach.
#pragma once

#include <chrono>

namespace carat::judge {

[[nodiscard]] inline double now_s() {
    using clock = std::chrono::steady_clock;
    return std::chrono::duration<double>(clock::now().time_since_epoch()).count();
}

}  // namespace carat::judge
