// The alternative to a fused epilogue: a kernel for bias and GELU that is as good as one that reads
// and writes all of C can be.
#pragma once

#include <cstdint>

namespace carat::benchmarks {

/// C(i, j) = gelu(C(i, j) + bias(j)) for m x n row-major elements of bf16, n a multiple of 8, on
/// the stream in use.
void bias_and_gelu_apart(void* c, const float* bias, std::int64_t m, std::int64_t n);

}  // namespace carat::benchmarks
