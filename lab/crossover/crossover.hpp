// The size from which a GPU pays: its product, end to end, takes less time than the best CPU's,
// with a confidence interval. Pure: trials in, sizes out.
//
//   log time                   gpu: copies and launches cost the same for every small size
//     |      ________________/-
//     |     gpu      /  /           The curves are straight between measured sizes on log axes;
//     |           / /               the last crossing is the answer. Its interval is that of
//     |       / /  cpu, best of     many crossings of curves through resampled medians, each
//     |   / /     those measured    with its own choice of the best CPU implementation.
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

// One size with its measurements.
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

// The times of one GPU implementation and of the best CPU one, at one size.
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
    // The crossing. An end beyond the measured sizes is infinite, and so is the size itself if the
    // curves do not cross (-infinity: always faster, infinity: never).
    double n = std::numeric_limits<double>::infinity();
    statistics::interval ci95;
    std::int64_t below = 0, above = 0;  // the sizes measured on either side; 0: it doesn't cross
    int changes = 0;                    // of the winner over all sizes; 1: the answer is plain
    bool few_trials = false;            // some sample at `below` or `above` has fewer than 20
    std::vector<point> points;          // by size
};

// One crossing for each GPU implementation measured at two sizes or more, in order of first
// appearance. Sizes without a measurement of it or of any CPU implementation are skipped.
[[nodiscard]] std::vector<crossing> find_crossings(std::span<const size_trials> measured,
                                                   const statistics::bootstrap_options& how = {});

// The sizes to measure next: one in each gap wider than the factor `ratio` in which a crossing
// lies, in whole tiles (multiples of 16) if they fit. Empty: done.
[[nodiscard]] std::vector<std::int64_t> sizes_between(std::span<const crossing> crossings,
                                                      double ratio);

}  // namespace carat::crossover
