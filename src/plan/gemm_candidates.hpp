// The ways there are to multiply a product: rows of a kernel table that read its operands as they
// lie, each in every cluster and residency that it can be launched in. Nothing else is left out:
// what is slow is told by its cost.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>

#include "plan/gemm_plan.hpp"

namespace carat::plan {

inline constexpr int most_ctas_of_a_cluster = 8;  // on any GPU

/// CTAs of single tiles beside each other that may share A, whose shares are swizzle atoms at
/// least.
inline constexpr int most_cluster_n = 4;

/// CTAs of a cluster.
struct cluster_shape {
    int split_k = 1;
    int m = 1;  // with tiles below each other
    int n = 1;
};

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
                                       bool swap_ab, const cluster_shape& cluster);

// The clusters that a kernel can be launched in.
void each_cluster(const core::kernel_desc& k,
                  const std::invocable<const cluster_shape&> auto& visit) {
    if (k.is_persistent()) return visit(cluster_shape{1, k.cluster_m, k.cluster_n});
    for (int split_k = 1; split_k <= k.most_split_k; split_k *= 2)
        for (int m = 1; m <= k.most_cluster_m && split_k * m <= most_ctas_of_a_cluster; m *= 2)
            for (int n = 1; n <= most_cluster_n && split_k * m * n <= most_ctas_of_a_cluster;
                 n *= 2)
                visit(cluster_shape{split_k, m, n});
}
}  // namespace detail

void each_candidate(const gemm_request& of, const core::kernel_desc& kernel,
                    const std::invocable<const candidate&> auto& visit) {
    for (const bool swap_ab : {!of.c_by_rows, of.c_by_rows}) {
        if (!matches(kernel, of, swap_ab)) continue;
        detail::each_cluster(kernel, [&](const cluster_shape& cluster) {
            candidate c = detail::make_candidate(kernel, of, swap_ab, cluster);
            for (const int ctas_per_sm : {1, 2, 3}) {
                c.ctas_per_sm = ctas_per_sm;
                if (is_legal(c, of)) visit(c);
            }
        });
    }
}

}  // namespace carat::plan
