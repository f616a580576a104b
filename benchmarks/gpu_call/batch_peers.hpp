// The peers of strided batches: cuBLAS and cuBLASLt. Separate from the public call, where
// carat::cuda is a type.
#pragma once

#include <cuda_runtime_api.h>
#include <string>
#include <vector>

#include "benchmarks/gpu_call/turns.hpp"
#include "core/problem.hpp"

namespace carat::benchmark {

struct batch_sizes {
    std::int64_t m, n, k, count;
};

/// Why there is none here; empty if there is.
[[nodiscard]] std::string why_no_peer();

/// The stream on which they run.
[[nodiscard]] cudaStream_t peer_stream();

/// cublasGemmStridedBatchedEx and what cuBLASLt's heuristics propose for `p`, whose A and C are
/// row-major; matrices are contiguous.
[[nodiscard]] std::vector<peer> peers_of(const core::problem& p, bool as_tf32, const batch_sizes& s,
                                         const core::operands& data);

}  // namespace carat::benchmark
