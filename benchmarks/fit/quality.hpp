// How good plans are, on products of which every plan was timed. Turns that say which plan is the
// fastest don't say how fast it is: the least of many noisy times is too short. So half of the
// turns names the fastest, and the other half says what it took, and what the chosen one took; then
// the other way round.
#pragma once

#include <cstddef>
#include <vector>

#include "benchmarks/fit/corpus.hpp"

namespace carat::fit {

/// Shares of the fastest plan's speed: over products the geometric mean, and the 5th percentile.
struct shares {
    double mean = 0, p5 = 0;
};

struct quality {
    std::size_t products = 0;
    shares chosen;             // by the engine that measured
    shares predicted;          // by these costs, the least time
    shares tried_eight;        // the fastest of the eight least, by the half that names
    shares chosen_biased;      // both by all turns, as if the least of them were the fastest's time
    double near_in_eight = 0;  // of products: one of the eight least reaches 0.99 of the fastest
    double best_in_eight = 0;  // the fastest itself, by all turns, is one of them
    double within_15 = 0;      // time predicted for the predicted plan, in percent
};

[[nodiscard]] quality judge(const std::vector<const measured_product*>& all,
                            const plan::gpu_costs& costs);

}  // namespace carat::fit
