// Turns the measured peaks of a GPU into what plans are made by there.
#pragma once

#include <string>

#include "lab/machine/peaks.hpp"
#include "tuning/measured_rates.hpp"

namespace carat::gpu {

[[nodiscard]] tuning::measured_rates rates_of(const machine::peaks& limits);

/// Adds a GPU to the file that the library reads (tuning/measured_rates.hpp), or replaces it there.
/// Without a place for it, or if it can't be written, nothing happens: plans then follow from
/// attributes.
void keep_rates(const std::string& gpu, const tuning::measured_rates& rates);

}  // namespace carat::gpu
