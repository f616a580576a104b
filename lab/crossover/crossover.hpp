// The size from which a GPU pays: its product, end to end, takes less time than the best CPU's,
// with a confidence interval ("crossovers" in docs/results.md).
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
#include <span>
#include <string>
#include <vector>

#include "lab/results/document.hpp"
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

// The square cases of one type by size: products on CPUs, whole sequences on GPUs. Omits results
// without a verified, possible figure.
[[nodiscard]] std::vector<size_trials> trials_of(const results::document& doc,
                                                 const std::string& dtype, int threads);

// One crossing for each GPU implementation measured at two sizes or more, in order of first
// appearance; its type, threads and host memory are the caller's to name. Sizes without a
// measurement of it or of any CPU implementation are skipped.
[[nodiscard]] std::vector<results::crossover> find_crossings(
    std::span<const size_trials> measured, const statistics::bootstrap_options& how = {});

// The sizes to measure next: one in each gap wider than the factor `ratio` in which a crossing
// lies, in whole tiles (multiples of 16) if they fit. Empty: done.
[[nodiscard]] std::vector<std::int64_t> sizes_between(std::span<const results::crossover> crossings,
                                                      double ratio);

}  // namespace carat::crossover
