// What a gemv kernel is told: y(line) = alpha sum over k of matrix(line, k) x(k)
// + beta source(line), for each product of a batch, and how the host launches it.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>

#include <carat/types.hpp>

namespace carat::cuda::gemv {

// Strides in elements.
struct arguments {
    const void* matrix;
    const void* x;
    void* y;
    const void* source;  // y, or a vector with y's stride
    std::int64_t lines;
    std::int64_t depth;
    std::int64_t across;  // from one line to the next
    std::int64_t along;   // from one k to the next
    std::int64_t x_step;
    std::int64_t y_step;
    // Distances between products of a batch, which blockIdx.y counts; source's is y's.
    std::int64_t matrix_apart;
    std::int64_t x_apart;
    std::int64_t y_apart;
    double alpha;
    double beta;
    bool y_is_f32;  // else y has the matrix' type
};

// One kernel, for the host.
struct kernel {
    const char* name;
    const void* function;  // takes arguments
    int threads;
    int lines;  // of a CTA, or of a split-K cluster
};

// The kernel for a K-major matrix, read in vectors or by elements, with many lines or few.
[[nodiscard]] const kernel& k_major(dtype type, bool in_vectors, bool many);
// The kernel for a K-major matrix of short lines, read in vectors.
[[nodiscard]] const kernel& short_lines(dtype type);
// The kernel for an MN-major matrix.
[[nodiscard]] const kernel& mn_major(dtype type, bool in_vectors);

}  // namespace carat::cuda::gemv
