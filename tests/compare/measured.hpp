// A result as if measured, for tests of what is made of trials.
#pragma once

#include <cstdint>
#include <random>
#include <string>

#include "lab/results/document.hpp"

namespace carat {

// `processes` of `trials` each; every process is off by up to `between`.
inline results::result measured(const std::string& name, double median_s, int processes, int trials,
                                double between, std::uint64_t seed) {
    results::result c;
    c.implementation = name;
    c.dtype = "f64";
    c.device = "cpu";
    c.m = c.n = c.k = 100;
    c.available = c.verified = true;
    c.flop = 2e6;
    c.repetitions = 1;
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> uniform(-1, 1);
    for (int g = 0; g < processes; ++g) {
        const double offset = between * uniform(random);
        for (int i = 0; i < trials; ++i)
            c.trials_s.push_back(median_s * (1 + offset + 0.002 * uniform(random)));
        if (processes > 1) c.trials_per_process.push_back(trials);
    }
    return c;
}

}  // namespace carat
