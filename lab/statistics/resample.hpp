// Drawing resamples of one sample, and the two intervals made from them. Internal to the module.
//
// A resample is kept as how often each rank was drawn, not as values: the median then falls out of
// one short walk over the counts, with neither a sort nor a copy.
//
//   trials (time order)  7.1  7.0  7.4        ranks  1 0 2       sorted  7.0 7.1 7.4
//   drawn positions      2 0 2                counts  [0, 1, 2]  median  7.4
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lab/statistics/bootstrap.hpp"

namespace carat::statistics::detail {

struct replicates {
    std::vector<double> means, medians;
};

class sample {
  public:
    /// `trials` in time order; decides the block length unless correlation is not to be detected.
    sample(std::span<const double> trials, bool detect_correlation);

    [[nodiscard]] std::size_t size() const { return sorted_.size(); }
    [[nodiscard]] std::size_t block_length() const { return block_length_; }
    [[nodiscard]] double lag1() const { return lag1_; }
    [[nodiscard]] double mean() const { return mean_; }
    [[nodiscard]] double median() const { return median_; }

    /// `count` resamples; equal seed and stream give equal replicates everywhere.
    [[nodiscard]] replicates draw(std::size_t count, std::uint64_t seed,
                                  std::uint64_t stream) const;

    /// Mean and median with one block of neighbours left out, for every block in turn.
    [[nodiscard]] replicates leave_one_block_out() const;

  private:
    [[nodiscard]] double median_of_counts(std::span<const std::uint32_t> counts,
                                          std::size_t total) const;
    [[nodiscard]] double mean_of_counts(std::span<const std::uint32_t> counts,
                                        std::size_t total) const;

    std::vector<double> sorted_;
    std::vector<std::uint32_t> ranks_;  // time position -> position in sorted_
    std::size_t block_length_ = 1;
    double lag1_ = 0, mean_ = 0, median_ = 0;
};

/// Sums over the jackknife of one sample; those of independent samples add up.
struct influence {
    double squares = 0, cubes = 0;

    /// BCa's acceleration (Efron and Tibshirani, equation 14.15; several samples: DiCiccio and
    /// Efron 1996); 0 for a statistic that does not vary.
    [[nodiscard]] double acceleration() const;
};

influence influence_of(std::span<const double> jackknife);

/// Both intervals of `estimate` from its replicates (sorted in the call).
bootstrap_interval make_interval(double estimate, std::vector<double> resampled,
                                 double acceleration, double confidence);

}  // namespace carat::statistics::detail
