// Checks without which no measurement can continue.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cuda_runtime_api.h>

namespace carat::benchmark {

inline void must(cudaError_t status) {
    if (status == cudaSuccess) return;
    std::fprintf(stderr, "a benchmark of carat's: %s\n", cudaGetErrorString(status));
    std::exit(2);
}

}  // namespace carat::benchmark
