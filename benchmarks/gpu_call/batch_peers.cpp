#include "benchmarks/gpu_call/batch_peers.hpp"

#include <memory>

#include "cuda/common/handles.hpp"
#include "lab/vendor/cublas/plan.hpp"

namespace carat::benchmark {

namespace blas = vendor::cublas;

namespace {

peer own_choice(const core::problem& p, blas::shortcut taken, const batch_sizes& s,
                const core::operands& data) {
    const blas::arithmetic how = blas::arithmetic_for(p, taken);
    const bool b_by_rows = p.b_layout.col_stride == 1;
    return {[=] {
                const blas::factor one(1, how.scale);
                const blas::factor zero(0, how.scale);
                // C^T = B^T A^T, by columns.
                return blas::library().gemm_batch(
                           blas::handle(), b_by_rows ? CUBLAS_OP_N : CUBLAS_OP_T, CUBLAS_OP_N, s.n,
                           s.m, s.k, one.data(), data.b, how.b, b_by_rows ? s.n : s.k, s.k * s.n,
                           data.a, how.a, s.k, s.m * s.k, zero.data(), data.c, how.out, s.n,
                           s.m * s.n, s.count, how.compute,
                           CUBLAS_GEMM_DEFAULT) == CUBLAS_STATUS_SUCCESS;
            },
            "cublas"};
}

// cuBLASLt is told no more alignment than all matrices of the batch have.
unsigned alignment_of(const core::problem& p) {
    std::int64_t at = 256;
    const auto all = [&](std::int64_t elements, dtype type) {
        while (elements * static_cast<std::int64_t>(size_bytes(type)) % at != 0) at /= 2;
    };
    all(p.m * p.k, p.a_type);
    all(p.k * p.n, p.b_type);
    all(p.m * p.n, p.c_type);
    return static_cast<unsigned>(at);
}

}  // namespace

std::string why_no_peer() {
    return blas::unavailable();
}

cudaStream_t peer_stream() {
    return carat::cuda::stream_in_use();
}

std::vector<peer> peers_of(const core::problem& p, bool as_tf32, const batch_sizes& s,
                           const core::operands& data) {
    constexpr int most_proposals = 12;
    const blas::shortcut taken = as_tf32 ? blas::shortcut::tf32 : blas::shortcut::none;
    std::vector<peer> all;
    if (!is_fp8(p.a_type)) all.push_back(own_choice(p, taken, s, data));
    const auto plan = std::make_shared<blas::plan>(
        p, taken, blas::batch{static_cast<std::int32_t>(s.count), s.m * s.k, s.k * s.n, s.m * s.n});
    for (const cublasLtMatmulAlgo_t& with : plan->proposals(most_proposals, alignment_of(p)))
        all.push_back(
            {[=] { return plan->start(data, with) == CUBLAS_STATUS_SUCCESS; }, "cublaslt"});
    return all;
}

}  // namespace carat::benchmark
