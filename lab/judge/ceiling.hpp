// Whether a figure is above what was measured as this machine's limit, as `carat bench` refuses it
// too: whoever exceeds it did not do the work, or not in that time.
#pragma once

#include <string>

#include "lab/judge/judge.hpp"
#include "lab/judge/party.hpp"

namespace carat::judge {

struct ceiling_check {
    std::string foul;   // of the target
    std::string doubt;  // a peer exceeds the limit as well, so it was measured too low
};

// Measures the limits where the target is faster than every peer, and again before it says so.
[[nodiscard]] ceiling_check hold_against_peak(const timed_case& c, dtype type,
                                              const table_of_rules& rules);

// The sentence of either for figures and a limit in GFLOP/s.
[[nodiscard]] ceiling_check ceiling_sentence(double target_gflops, double peer_gflops,
                                             double limit_gflops);

}  // namespace carat::judge
