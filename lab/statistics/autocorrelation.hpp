// Do successive trials remember each other?
//
// Clocks that ramp and neighbours that wake make trials alike in runs; resampling them one by one
// then promises intervals that are too narrow. The lag-1 autocorrelation r is compared with the
// band it stays in when trials are independent: mean -1/n, variance (n-2)^2 / (n^2 (n-1)) (Kendall
// and Stuart, vol. 3, after Anderson 1942). Only r above the band is material: negative r makes
// plain intervals too wide, never too narrow.
#pragma once

#include <cstddef>
#include <span>

namespace carat::statistics {

struct autocorrelation {
    double lag1 = 0;               // in [-1, 1]; 0 when trials do not vary
    double band_upper = 1;         // 97.5 % point of r under independence
    bool material = false;         // lag1 > band_upper; never for fewer than 8 trials
    std::size_t block_length = 1;  // what the bootstrap should draw at once; 1 unless material
};

/// Lag-1 autocorrelation of trials in the order they were measured, with its verdict. The block
/// length is ceil((sqrt(6) r / (1 - r^2))^(2/3) n^(1/3)), the length that minimises the error of
/// the variance of the mean for a first-order process (Carlstein, Annals of Statistics 14, 1986;
/// equal to Politis and White, Econometric Reviews 23, 2004, for circular blocks at such a
/// process), kept within [2, n/3].
/// @throws std::invalid_argument when trials are empty or not finite.
autocorrelation measure_autocorrelation(std::span<const double> trials);

}  // namespace carat::statistics
