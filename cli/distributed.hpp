// bench --distributed: the command makes room for a program that links MPI.
#pragma once

#include <string>

#include "cli/measured.hpp"

namespace carat::cli {

// Does not return unless it throws carat::error: a build without MPI, or what such a measurement
// does not take.
int bench_over_processes(const measured_flags& what, const std::string& json);

}  // namespace carat::cli
