// The ways there are to multiply a product: rows of a kernel table that read its operands as they
// lie, each in every cluster and residency that it can be launched in. Nothing else is left out:
// what is slow is told by its cost.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>

#include "plan/gemm_plan.hpp"

namespace carat::plan {

struct candidate {
    const core::kernel_desc* kernel;
    bool swap_ab;
    std::int64_t m, n;  // of C as the kernel computes it
    std::int64_t k_blocks;
    int split_k;
    int cluster_m;
    int cluster_n;
    std::int64_t batch = 1;
    int ctas_per_sm = 1;  // that its shared memory leaves room for

    [[nodiscard]] bool is_pingpong() const {
        return kernel->schedule == core::kernel_schedule::pingpong;
    }
    [[nodiscard]] int shared() const { return cluster_m * cluster_n; }  // CTAs that share A or B
    [[nodiscard]] std::int64_t ctas() const;                            // of all products
};

/// Whether a kernel multiplies such operands, as they are or swapped.
[[nodiscard]] bool matches(const core::kernel_desc& kernel, const gemm_request& wanted,
                           bool swap_ab);

/// Whether its tile and schedule are what was asked for.
[[nodiscard]] bool is_asked_for(const core::kernel_desc& kernel, const gemm_overrides& asked);

/// Whether it can be launched so for this product.
[[nodiscard]] bool is_legal(const candidate& c, const gemm_request& of);

/// Every legal candidate of a kernel, as it is and swapped, in clusters and residencies as they
/// were asked for.
void each_candidate(const gemm_request& of, const core::kernel_desc& kernel,
                    const std::invocable<const candidate&> auto& visit);

[[nodiscard]] candidate candidate_of(const gemm_plan& plan, const gemm_request& of);
[[nodiscard]] gemm_plan plan_of(const candidate& c, double seconds);

/// Whether a candidate that takes so long is chosen before another plan. Where stream-K was asked
/// for, any of its kernels comes before all others.
[[nodiscard]] bool is_better(const candidate& c, double seconds,
                             const std::optional<gemm_plan>& than, const gemm_request& of);

[[nodiscard]] std::int64_t k_blocks_of(std::int64_t k, const gemm_request& of);

namespace detail {
[[nodiscard]] candidate make_candidate(const core::kernel_desc& k, const gemm_request& of,
                                       bool swap_ab, int split_k, int shared);
}  // namespace detail

void each_candidate(const gemm_request& of, const core::kernel_desc& kernel,
                    const std::invocable<const candidate&> auto& visit) {
    for (const bool swap_ab : {!of.c_by_rows, of.c_by_rows}) {
        if (!matches(kernel, of, swap_ab)) continue;
        for (const int split_k : {1, 2, 4, 8})
            for (const int shared : {1, 2, 4})
                for (const int ctas_per_sm : {1, 2, 3}) {
                    candidate c = detail::make_candidate(kernel, of, swap_ab, split_k, shared);
                    c.ctas_per_sm = ctas_per_sm;
                    if (is_legal(c, of)) visit(c);
                }
    }
}

}  // namespace carat::plan
