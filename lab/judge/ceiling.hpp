// Compares a speed with this machine's measured limit, as `carat bench` does: a target above it did
// not do the work, or did it outside the measured time.
#pragma once

#include <string>

#include "lab/judge/judge.hpp"
#include "lab/judge/participant.hpp"

namespace carat::judge {

struct ceiling_check {
    std::string foul;   // of the target
    std::string doubt;  // a peer exceeds the limit as well, so it was measured too low
};

// Measures the limits if the target is faster than every peer, and again before it reports a foul.
[[nodiscard]] ceiling_check hold_against_peak(const timed_case& c, dtype type,
                                              const table_of_rules& rules);

// The message for two speeds and a limit in GFLOP/s.
[[nodiscard]] ceiling_check ceiling_sentence(double target_gflops, double peer_gflops,
                                             double limit_gflops);

}  // namespace carat::judge
