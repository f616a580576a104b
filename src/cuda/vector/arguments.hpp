// What a kernel of this room is told: y(line) = alpha sum over k of matrix(line, k) x(k)
// + beta y(line), and how the host launches it.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>

#include <carat/types.hpp>

namespace carat::cuda::vector {

// Strides in elements.
struct arguments {
    const void* matrix;
    const void* x;
    void* y;
    std::int64_t lines;
    std::int64_t depth;
    std::int64_t across;  // from one line to the next
    std::int64_t along;   // from one k to the next
    std::int64_t x_step;
    std::int64_t y_step;
    double alpha;
    double beta;
    bool y_is_f32;  // else of the matrix' type
};

// One kernel, for the host.
struct kernel {
    const char* name;
    const void* function;  // takes arguments
    int threads;
    int lines;  // of a block, or of a cluster of blocks that share K
};

// Lines that lie along K, in vectors or element by element, many of them or few.
[[nodiscard]] const kernel& along_k(dtype type, bool in_vectors, bool many);
// Lines beside each other at each k.
[[nodiscard]] const kernel& across(dtype type, bool in_vectors);

}  // namespace carat::cuda::vector
