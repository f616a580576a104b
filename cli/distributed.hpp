// bench --distributed: the command makes room for a program that links MPI, or that drives several
// GPUs.
#pragma once

#include "cli/measured.hpp"
#include "cli/outputs.hpp"

namespace carat::cli {

// Does not return unless it throws carat::error: a build without MPI, or what such a measurement
// does not take.
int bench_distributed(const measured_flags& what, const output_flags& files);

}  // namespace carat::cli
