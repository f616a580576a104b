// The size from which a GPU pays, as the results file has it ("crossovers" in docs/results.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lab/results/format.hpp"

namespace carat::results {

struct crossover_point {
    std::int64_t n = 0;
    std::string cpu = {};  // the best implementation there
    double cpu_s = 0, gpu_s = 0;
    range ci95_cpu_s = unbounded, ci95_gpu_s = unbounded;

    [[nodiscard]] bool gpu_wins() const { return gpu_s < cpu_s; }
};

struct crossover {
    std::string gpu = {}, dtype = {}, host_memory = {};
    int threads = 1;               // of the CPU's
    std::string outcome = {};      // "crosses", "always" or "never"
    std::optional<double> n = {};  // the size, where it crosses
    range ci95 = unbounded;        // infinite: beyond the sizes measured
    int changes = 0;               // of the winner over all sizes
    bool few_trials = false;
    std::optional<std::vector<std::int64_t>> between = {};  // the two sizes measured around it
    std::vector<crossover_point> points = {};               // by size, at least one
};

}  // namespace carat::results
