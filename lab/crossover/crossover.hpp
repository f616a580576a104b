// The size at which a GPU starts to pay: from which on its product, end to end, takes less time
// than the best CPU's, with a confidence interval. Pure: trials in, sizes out.
//
//   log time                   gpu: copies and launches cost the same for every small size
//     |      ________________/-
//     |     gpu      /  /           The curves are straight between measured sizes on log axes;
//     |           / /               where they cross last is the answer. Its interval is that of
//     |       / /  cpu, best of     many crossings, each of curves through resampled medians, the
//     |   / /     those measured    choice of the best CPU implementation made anew in each.
//     +-----------------|------ log N
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "lab/statistics/bootstrap.hpp"

namespace carat::crossover {

struct sample {
    std::string implementation;
    std::vector<double> trials_s;  // seconds for one product, one at least, positive
};

// One size with what was measured there.
struct size_trials {
    std::int64_t n = 0;
    std::vector<sample> cpu;
    std::vector<sample> gpu;  // end to end
};

struct estimate {
    std::string implementation;
    double median_s = 0;
    statistics::interval ci95_s;
};

// Of one GPU implementation and the best of the CPU's, at one size.
struct point {
    std::int64_t n = 0;
    estimate cpu, gpu;

    [[nodiscard]] bool gpu_wins() const { return gpu.median_s < cpu.median_s; }
};

enum class outcome {
    crosses,  // it wins from some size in the range on
    always,   // it wins at every size measured
    never,    // it loses at the largest size measured
};

[[nodiscard]] std::string_view name(outcome o);

struct crossing {
    std::string gpu;
    outcome what = outcome::never;
    // Where it crosses; an end that lies beyond the sizes measured is infinite, and so is the size
    // itself unless it crosses (-infinity: always, infinity: never).
    double n = std::numeric_limits<double>::infinity();
    statistics::interval ci95;
    std::int64_t below = 0, above = 0;  // the sizes measured on either side; 0: it doesn't cross
    int changes = 0;                    // of the winner over all sizes; 1: the answer is plain
    bool few_trials = false;            // some sample at `below` or `above` has fewer than 20
    std::vector<point> points;          // by size
};

// One crossing for each GPU implementation that was measured at two sizes or more, in the order
// first met. Sizes at which it or every CPU implementation was not measured are passed over.
[[nodiscard]] std::vector<crossing> find_crossings(std::span<const size_trials> measured,
                                                   const statistics::bootstrap_options& how = {});

// The sizes to measure next, so that no crossing lies between sizes further apart than the factor
// `ratio`: one within each such gap, whole tiles (multiples of 16) where they fit. Empty: done.
[[nodiscard]] std::vector<std::int64_t> sizes_between(std::span<const crossing> crossings,
                                                      double ratio);

}  // namespace carat::crossover
