// The kernels that calls reach, as captured graphs name them.
#pragma once

#include <cuda_runtime_api.h>
#include <string>

namespace carat::fuzz {

// Counts the kernels of a graph.
void note_kernels(cudaGraph_t graph);

// Appends all counts so far to a file, a line each; does nothing for an empty name.
void tell_kernels(const std::string& file);

}  // namespace carat::fuzz
