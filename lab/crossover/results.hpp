// Reads and writes crossings of the results file ("crossovers" in docs/results.md).
#pragma once

#include "lab/crossover/crossover.hpp"
#include "lab/results/document.hpp"

namespace carat::crossover {

// The square cases of one type by size: products on CPUs, whole sequences on GPUs. Omits results
// without a verified, possible figure.
[[nodiscard]] std::vector<size_trials> trials_of(const results::document& doc,
                                                 const std::string& dtype, int threads);

// The same, as a results file has them.
[[nodiscard]] std::vector<results::crossover> told(std::span<const crossing> crossings,
                                                   const std::string& dtype, int threads,
                                                   const std::string& host_memory);

}  // namespace carat::crossover
