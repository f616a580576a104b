// Trials as machines give them, with the truth known: what the intervals are calibrated on.
//
// A process draws an offset that all its trials share; within it they are independent, or remember
// each other (first-order), or fall on two humps, or drift. All of one round's implementations
// share the drift and a part of the offset, as processes that ran side by side do.
#pragma once

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "lab/statistics/replicates.hpp"

namespace carat::statistics::test {

enum class series : std::uint8_t { independent, ar1, bimodal, drifting };

inline const char* name(series s) {
    switch (s) {
        case series::independent:
            return "independent";
        case series::ar1:
            return "AR(1), 0.7";
        case series::bimodal:
            return "bimodal";
        case series::drifting:
            return "drifting";
    }
    return "";
}

struct setting {
    series kind = series::independent;
    int processes = 5;
    int trials = 20;        // of each process
    double within = 0.02;   // standard deviation of log times
    double between = 0.02;  // of the offsets of processes
    double common = 0.5;    // share of the offset's variance that rows of a process have in common
};

class machine {
  public:
    explicit machine(std::uint64_t seed) : random_(seed) {}

    /// Trials of `rows` implementations whose true log medians are `truth`, process after process.
    std::vector<std::vector<double>> run(const setting& s, const std::vector<double>& truth) {
        std::vector<std::vector<double>> trials(truth.size());
        for (int g = 0; g < s.processes; ++g) {
            const double shared = s.between * std::sqrt(s.common) * normal();
            const double slope = s.kind == series::drifting ? 3 * s.within * normal() : 0;
            for (std::size_t row = 0; row < truth.size(); ++row) {
                const double offset =
                    truth[row] + shared + s.between * std::sqrt(1 - s.common) * normal();
                add(s, offset, slope, trials[row]);
            }
        }
        return trials;
    }

  private:
    double normal() { return normal_(random_); }

    void add(const setting& s, double offset, double slope, std::vector<double>& trials) {
        double state = normal();
        for (int i = 0; i < s.trials; ++i) {
            const double time = (i + 0.5) / s.trials - 0.5;
            double noise = normal();
            if (s.kind == series::ar1) noise = state = 0.7 * state + std::sqrt(1 - 0.49) * noise;
            // Two humps of equal weight, four standard deviations apart, and symmetric, so that the
            // median of the process is known.
            if (s.kind == series::bimodal) noise = 0.5 * noise + (random_() % 2 == 0 ? 1 : -1);
            trials.push_back(std::exp(offset + slope * time + s.within * noise));
        }
    }

    std::mt19937_64 random_;
    std::normal_distribution<double> normal_;
};

inline std::vector<std::int64_t> counts(const setting& s) {
    return std::vector<std::int64_t>(static_cast<std::size_t>(s.processes), s.trials);
}

}  // namespace carat::statistics::test
