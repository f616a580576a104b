// Products of different sizes in one launch.
#include <algorithm>
#include <cmath>
#include <limits>

#include "plan/cpu_plan.hpp"
#include "plan/gemm_candidates.hpp"
#include "plan/gemm_cost.hpp"

namespace carat::plan {

using core::kernel_desc;

namespace {

// What one candidate has to do for all products of a group.
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
    const std::int64_t block_m = std::int64_t{kernel.block_m} * kernel.cluster_m;
    for (const product_size& p : all) {
        const std::int64_t m = swap_ab ? p.n : p.m;
        const std::int64_t n = swap_ab ? p.m : p.n;
        const std::int64_t ctas =
            ceil_div(m, block_m) * ceil_div(n, kernel.block_n) * kernel.cluster_m;
        const std::int64_t k_blocks = k_blocks_of(p.k, of);
        sum.ctas += ctas;
        sum.cta_k_blocks += ctas * k_blocks;
        sum.most_k_blocks = std::max(sum.most_k_blocks, k_blocks);
        sum.operand_bytes += static_cast<double>(of.bytes_of((p.m + p.n) * p.k));
        sum.result_bytes += static_cast<double>(p.m * p.n * of.result_bytes);
    }
    return sum;
}

// The products' CTAs one behind the other; none ends before the longest has. Two share an SM where
// there are so many.
double group_seconds(const group_work& sum, candidate c, const gemm_request& of,
                     const gpu_costs& costs) {
    const kernel_desc& k = *c.kernel;
    const std::int64_t ctas = sum.ctas * c.split_k;
    const bool share = !k.is_persistent() && ctas > of.sms && most_ctas_per_sm(k) > 1 &&
                       stages_that_fit(k, c.split_k, 2) >= fewest_stages(k.accumulate);
    c.m = k.block_m;
    c.n = k.block_n;
    c.k_blocks = c.split_k;
    c.ctas_per_sm = share ? 2 : 1;
    launch_work work = work_of(c, of, costs);
    work.ctas = static_cast<double>(ctas);
    const double waves = std::max(1.0, work.ctas / (work.places * work.on_sm));
    const double mean = static_cast<double>(sum.cta_k_blocks) / static_cast<double>(sum.ctas);
    work.steps =
        std::max(mean, static_cast<double>(sum.most_k_blocks) / std::ceil(waves)) / c.split_k;
    work.tile_s *= std::min(1.0, sum.result_bytes / (static_cast<double>(sum.ctas) * k.block_m *
                                                     k.block_n * of.result_bytes));
    work.memory_bytes = sum.operand_bytes + sum.result_bytes * (of.adds_e ? 2 : 1);
    return time_of(work, sharing_of(k, costs)).seconds;
}

std::int64_t fewest_k_blocks(const gemm_request& of, std::span<const product_size> all) {
    std::int64_t fewest = k_blocks_of(all.front().k, of);
    for (const product_size& p : all) fewest = std::min(fewest, k_blocks_of(p.k, of));
    return fewest;
}

// One product after the other, each in a launch of the large tiles that share B.
double seconds_one_by_one(const gemm_request& like, std::span<const product_size> all,
                          const gemm_model& model) {
    double fastest = std::numeric_limits<double>::infinity();
    for (const kernel_desc& k : model.kernels) {
        if (k.schedule != core::kernel_schedule::cooperative || k.block_n < 192 || k.batched ||
            k.stream_k || k.cluster_m != 2)
            continue;
        const bool swap_ab = !like.c_by_rows;
        if (!matches(k, like, swap_ab)) continue;
        double total = 0;
        for (const product_size& p : all) {
            gemm_request of = like;
            of.m = p.m;
            of.n = p.n;
            of.k = p.k;
            total += std::max(model.costs.host_s, seconds(candidate_of({.kernel = &k,
                                                                        .swap_ab = swap_ab,
                                                                        .cluster_m = k.cluster_m,
                                                                        .cluster_n = k.cluster_n},
                                                                       of),
                                                          of, model.costs));
        }
        fastest = std::min(fastest, total);
    }
    return fastest;
}

// Keeps the fastest.
class fastest_of_group {
  public:
    fastest_of_group(const gemm_request& like, std::span<const product_size> all,
                     const gpu_costs& costs)
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
            if (taken < best.seconds) best = plan_of(c, taken);
        }
    }

  private:
    const gemm_request& like_;
    std::span<const product_size> all_;
    const gpu_costs& costs_;
    std::int64_t fewest_;
};

}  // namespace

group_plan plan_group(const gemm_request& like, std::span<const product_size> all,
                      const gemm_model& model, bool share_rows) {
    fastest_of_group found(like, all, model.costs);
    for (const core::kernel_desc& kernel : model.kernels) {
        if (kernel.grouped)
            for (const bool swap_ab : {!like.c_by_rows, like.c_by_rows})
                if (matches(kernel, like, swap_ab)) found.try_kernel(kernel, swap_ab);
        if (kernel.batched && share_rows && matches(kernel, like, false))
            found.try_kernel(kernel, false);
    }
    group_plan best{found.best, false};
    best.at_once = best.plan.seconds <= static_cast<double>(all.size()) * model.costs.host_s ||
                   best.plan.seconds <= seconds_one_by_one(like, all, model);
    return best;
}

}  // namespace carat::plan
