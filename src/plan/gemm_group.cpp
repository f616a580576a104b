// Products of different sizes in one launch.
#include <algorithm>
#include <bit>
#include <limits>

#include "plan/cpu_plan.hpp"
#include "plan/gemm_candidates.hpp"
#include "plan/gemm_cost.hpp"

namespace carat::plan {

using core::kernel_desc;

namespace {

// Of all products of a group: what one candidate has to do.
struct group_work {
    std::int64_t ctas = 0;  // of one part of K
    std::int64_t cta_k_blocks = 0;
    std::int64_t most_k_blocks = 0;
    double operand_bytes = 0;
    double result_bytes = 0;
};

group_work sum_up(const gemm_request& of, std::span<const product_size> all,
                  const kernel_desc& kernel, bool swap_ab) {
    group_work sum;
    // Calls are planned each time, and these tiles are powers of 2.
    const int block_m = kernel.block_m * kernel.cluster_m;  // of a cluster
    const int log2_m = std::countr_zero(static_cast<unsigned>(block_m));
    const int log2_n = std::countr_zero(static_cast<unsigned>(kernel.block_n));
    for (const product_size& p : all) {
        const std::int64_t m = swap_ab ? p.n : p.m;
        const std::int64_t n = swap_ab ? p.m : p.n;
        const std::int64_t ctas =
            ((m + block_m - 1) >> log2_m) * ((n + kernel.block_n - 1) >> log2_n) * kernel.cluster_m;
        const std::int64_t k_blocks = k_blocks_of(p.k, of);
        sum.ctas += ctas;
        sum.cta_k_blocks += ctas * k_blocks;
        sum.most_k_blocks = std::max(sum.most_k_blocks, k_blocks);
        sum.operand_bytes += static_cast<double>(of.bytes_of((p.m + p.n) * p.k));
        sum.result_bytes += static_cast<double>(p.m * p.n * of.result_bytes);
    }
    return sum;
}

// The products' CTAs one behind the other; none ends before the longest has.
double group_seconds(const group_work& sum, const candidate& c, const gemm_request& of,
                     const gemm_costs& costs) {
    const std::int64_t slots = ctas_at_a_time(c.split_k * c.shared(), of.sms);
    const std::int64_t ctas = sum.ctas * c.split_k;
    const bool alone = c.kernel->is_persistent() || ctas <= slots;
    const double mean = static_cast<double>(sum.cta_k_blocks) / static_cast<double>(sum.ctas);
    const auto waves = static_cast<double>(ceil_div(ctas, alone ? slots : 2 * slots));
    const double k_blocks =
        std::max(waves * mean, static_cast<double>(sum.most_k_blocks)) / c.split_k;
    return costs.launch_s +
           std::max(k_blocks * k_block_s(c, of, costs, alone).longest_s(),
                    sum.operand_bytes / costs.memory_bytes_per_s) +
           sum.result_bytes / costs.storing_bytes_per_s +
           (c.split_k > 1 ? costs.split_k_sync_s + costs.split_k_send_s * c.split_k : 0);
}

std::int64_t fewest_k_blocks(const gemm_request& of, std::span<const product_size> all) {
    std::int64_t fewest = k_blocks_of(all.front().k, of);
    for (const product_size& p : all) fewest = std::min(fewest, k_blocks_of(p.k, of));
    return fewest;
}

// One product after the other in tiles of 128 x 192 or 256.
double seconds_one_by_one(const gemm_request& like, std::span<const product_size> all,
                          const gemm_model& model) {
    const matching_kernels kernels(like, model.kernels);
    double total = 0;
    for (const product_size& p : all) {
        gemm_request of = like;
        of.m = p.m;
        of.n = p.n;
        of.k = p.k;
        of.asked.split_k = 1;
        double fastest = std::numeric_limits<double>::infinity();
        for (const int block_n : {192, 256})
            if (const auto large =
                    best_of(of, model.costs, kernels,
                            {128, block_n, core::kernel_schedule::cooperative}, 1, 2))
                fastest = std::min(fastest, large->seconds);
        total += fastest;
    }
    return total;
}

// Keeps the fastest.
class fastest_of_group {
  public:
    fastest_of_group(const gemm_request& like, std::span<const product_size> all,
                     const gemm_costs& costs)
        : like_(like), all_(all), costs_(costs), fewest_(fewest_k_blocks(like, all)) {
        best.seconds = std::numeric_limits<double>::infinity();
    }

    gemm_plan best;

    // No two single tiles' CTAs below each other need be of one product: none share B.
    void try_kernel(const kernel_desc& kernel, bool swap_ab) {
        const group_work sum = sum_up(like_, all_, kernel, swap_ab);
        const int asked = like_.asked.split_k;
        const int most = kernel.is_persistent() ? 1 : asked != 0 ? asked : 4;
        for (const int split_k : {4, 2, 1}) {
            if (split_k > fewest_ || split_k > most) continue;
            const candidate c{.kernel = &kernel,
                              .swap_ab = swap_ab,
                              .m = 0,
                              .n = 0,
                              .k_blocks = 0,
                              .split_k = split_k,
                              .cluster_m = kernel.cluster_m,
                              .cluster_n = 1};
            const double taken = group_seconds(sum, c, like_, costs_);
            if (taken < best.seconds)
                best = {.kernel = &kernel,
                        .swap_ab = swap_ab,
                        .split_k = split_k,
                        .cluster_m = kernel.cluster_m,
                        .seconds = taken};
        }
    }

  private:
    const gemm_request& like_;
    std::span<const product_size> all_;
    const gemm_costs& costs_;
    std::int64_t fewest_;
};

}  // namespace

group_plan plan_group(const gemm_request& like, std::span<const product_size> all,
                      const gemm_model& model, bool share_rows) {
    fastest_of_group found(like, all, model.costs);
    for (const bool swap_ab : {!like.c_by_rows, like.c_by_rows})
        for (const kernel_desc& kernel : model.kernels)
            if (kernel.grouped && matches(kernel, like, swap_ab)) found.try_kernel(kernel, swap_ab);
    if (share_rows) {
        gemm_request persistent = like;
        persistent.persistent_batch = true;
        for (const kernel_desc& kernel : model.kernels)
            if (matches(kernel, persistent, false)) found.try_kernel(kernel, false);
    }
    group_plan best{found.best, false};
    best.at_once = best.plan.seconds <= static_cast<double>(all.size()) * model.costs.launch_s ||
                   best.plan.seconds <= seconds_one_by_one(like, all, model);
    return best;
}

}  // namespace carat::plan
