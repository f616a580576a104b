// Which of an architecture's tensor-core kernels multiplies a product, and how it is launched: of
// all legal candidates (gemm_candidates.hpp) the one that takes least (gemm_cost.hpp). Pure: the
// same arguments give the same plan.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "core/dtype_traits.hpp"
#include "core/kernel_desc.hpp"
#include "plan/fma_tile.hpp"
#include "plan/gpu_costs.hpp"

namespace carat::plan {

enum class choice : std::uint8_t { free, no, yes };

/// What a caller asks for; 0 and nothing: choose.
struct gemm_overrides {
    int block_m = 0;  // these two exactly
    int block_n = 0;
    int split_k = 0;      // at most
    int cluster_m = 0;    // at most, of single tiles in one part of K
    int cluster_n = 0;    // at most, of the same
    int ctas_per_sm = 0;  // at most, of single tiles that don't share B
    std::optional<core::kernel_schedule> schedule = {};
    choice stream_k = choice::free;     // where there are tiles enough for it
    arrival arrives = arrival::chosen;  // of f32
    bool swaps_for_c_only = false;      // A and B swapped where C lies by columns, and nowhere else
    int not_block_m = 0;                // any tiles but these
    int not_block_n = 0;

    bool operator==(const gemm_overrides&) const = default;
};

struct gemm_request {
    std::int64_t m = 0;
    std::int64_t n = 0;
    std::int64_t k = 0;
    std::int64_t batch = 1;  // products of these sizes in one launch
    bool one_a = false;      // A is one matrix for all of them
    bool one_b = false;
    dtype a_type = dtype::bf16;
    dtype b_type = dtype::bf16;
    core::accumulation accumulate = core::accumulation::native;
    int result_bytes = 4;                                  // of an element of C
    core::operand_major a_major = core::operand_major::k;  // or packed so
    core::operand_major b_major = core::operand_major::k;
    bool a_on_sectors = true;  // its lines begin at multiples of 32 bytes
    bool b_on_sectors = true;
    bool on_lines = true;       // those of both at multiples of 128 bytes
    bool c_by_rows = true;      // its rows are contiguous, else its columns
    bool c_on_16_bytes = true;  // these begin at multiples of 16 bytes
    bool adds_e = false;        // of C's size and layout
    packed_first packing = {};  // before whatever kernel
    int sms = 132;
    gemm_overrides asked = {};

    // Bytes of A or B.
    [[nodiscard]] std::int64_t bytes_of(std::int64_t elements) const {
        return core::bytes_of(a_type, elements);
    }
};

struct gemm_plan {
    const core::kernel_desc* kernel = nullptr;
    bool swap_ab = false;  // computes C^T = B^T A^T
    int split_k = 1;       // parts of K, each for a CTA of its own
    int cluster_m = 1;     // CTAs with tiles below each other that multicast B
    int cluster_n = 1;     // with tiles beside each other, A
    // A single tile's CTA has this part of an SM's shared memory: others are with it, of its own
    // kernel or of the one after it on the stream.
    int ctas_per_sm = 1;
    double seconds = 0;  // predicted for one product of many on a stream

    [[nodiscard]] int cluster() const { return split_k * cluster_m * cluster_n; }

    bool operator==(const gemm_plan&) const = default;
};

/// Architecture: a table of kernels and what they cost.
struct gemm_model {
    core::kernel_table kernels;
    const gpu_costs& costs;
};

/// CTAs that run at once in such clusters, one to an SM: larger clusters leave some of the GPU's
/// groups of 16 or 18 SMs partly empty.
[[nodiscard]] std::int64_t ctas_at_a_time(int cluster, int sms);

/// Nothing where no kernel has what was asked for.
[[nodiscard]] std::optional<gemm_plan> plan_gemm(const gemm_request& wanted,
                                                 const gemm_model& model);

/// Packing included, of a batch in one launch.
[[nodiscard]] double seconds_of(const gemm_plan& plan, const gemm_request& of,
                                const gpu_costs& costs);

/// Plans a batch in one launch. Nothing where as many launches of plan_gemm's are predicted to be
/// faster, or where no kernel has what was requested.
[[nodiscard]] std::optional<gemm_plan> plan_batch(const gemm_request& wanted,
                                                  const gemm_model& model);

/// Why there is no plan: the override that no kernel for these types and layouts has, and what
/// they have. Empty where there is one.
[[nodiscard]] std::string reason_against(const gemm_request& wanted, const gemm_model& model);

/// Plans a product whose gates are to be taken on the way to C: n counts gates and values. Nothing
/// where no kernel can, as where C isn't by rows, or where the product and then a pass over its
/// sums are predicted to be faster; tiles that were requested are not compared so.
[[nodiscard]] std::optional<gemm_plan> plan_glu(const gemm_request& wanted,
                                                const gemm_model& model);

struct product_size {
    std::int64_t m = 0;
    std::int64_t n = 0;
    std::int64_t k = 0;  // none is 0
};

struct group_plan {
    gemm_plan plan;        // tiles for all products in one launch
    bool at_once = false;  // predicted to be no slower than a launch of large tiles for each
};

/// Plans products that are alike in all but their sizes; m, n and k of `like` don't count. They
/// take single tiles, or persistent ones if products `share_rows` of one A and one C, by rows.
[[nodiscard]] group_plan plan_group(const gemm_request& like, std::span<const product_size> all,
                                    const gemm_model& model, bool share_rows = false);

}  // namespace carat::plan
