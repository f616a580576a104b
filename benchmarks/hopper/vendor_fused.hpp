// cuBLASLt's own product with bias and GELU, the fastest kernel that its heuristics propose.
#pragma once

#include <cstdint>
#include <functional>

namespace carat::benchmarks {

/// C(i, j) = gelu(A B(i, j) + bias(j)) for row-major bf16, on the stream in use; `bias` has n
/// numbers of bf16. All is in device memory; the search for the kernel runs on these operands. Null
/// if the library is missing or has no such kernel.
[[nodiscard]] std::function<void()> vendor_fused(const void* a, const void* b, const void* bias,
                                                 void* c, std::int64_t m, std::int64_t n,
                                                 std::int64_t k);

}  // namespace carat::benchmarks
