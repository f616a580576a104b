// The ways there are to multiply a product: rows of a kernel table that read its operands as they
// lie, each in the clusters and residencies that make sense for it.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

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

/// The kernels that multiply this product, as it is and with A and B swapped.
class matching_kernels {
  public:
    matching_kernels(const gemm_request& wanted, core::kernel_table all);

    /// A block size and schedule, of whatever layouts and with or without stream-K.
    struct tile {
        int block_m;
        int block_n;
        core::kernel_schedule schedule;

        bool operator==(const tile&) const = default;
    };

    /// In the order of the table, single tiles and cooperative ones before pingpong.
    [[nodiscard]] std::span<const tile> tiles() const { return tiles_; }
    [[nodiscard]] bool has(core::kernel_schedule schedule) const;
    /// Null where there is none.
    [[nodiscard]] const core::kernel_desc* find(const tile& of, bool swap_ab, bool stream_k) const;

  private:
    std::array<std::vector<const core::kernel_desc*>, 2> all_;  // as it is, and swapped
    std::vector<tile> tiles_;
};

/// Whether a kernel multiplies such operands, as they are or swapped.
[[nodiscard]] bool matches(const core::kernel_desc& kernel, const gemm_request& wanted,
                           bool swap_ab);

/// Whether this tile is what was asked for.
[[nodiscard]] bool is_asked_for(const matching_kernels::tile& t, const gemm_overrides& asked);

/// The fastest with this tile, cut and cluster, however it lies. `glu`: C has half of the n
/// columns, and a tile gates and their values.
[[nodiscard]] std::optional<gemm_plan> best_of(const gemm_request& of, const gemm_costs& costs,
                                               const matching_kernels& kernels,
                                               const matching_kernels::tile& t, int split_k,
                                               int shared, bool glu = false);

/// The fastest with this tile, in clusters as asked for or in the best ones.
[[nodiscard]] std::optional<gemm_plan> best_clusters(const gemm_request& of,
                                                     const gemm_costs& costs,
                                                     const matching_kernels& kernels,
                                                     const matching_kernels::tile& t);

[[nodiscard]] candidate candidate_of(const gemm_plan& plan, const gemm_request& of);

[[nodiscard]] std::int64_t k_blocks_of(std::int64_t k, const gemm_request& of);

}  // namespace carat::plan
