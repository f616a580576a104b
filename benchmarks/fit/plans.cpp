#include "benchmarks/fit/plans.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

#include <carat/error.hpp>

#include "cuda/families/fma/kernel_table.hpp"
#include "cuda/families/fma/product.hpp"
#include "cuda/families/mma/kernel_table.hpp"
#include "cuda/families/mma/lean_product.hpp"
#include "cuda/families/mma/multistage_product.hpp"
#include "cuda/families/mma/packed_product.hpp"
#include "cuda/families/mma/product.hpp"
#include "cuda/families/wgmma/host/family.hpp"
#include "cuda/families/wgmma/host/request.hpp"
#include "cuda/families/wgmma/kernel_table.hpp"
#include "plan/batch_tiles.hpp"
#include "plan/cpu_plan.hpp"
#include "plan/gemm_candidates.hpp"

namespace carat::fit {

namespace {

using core::gpu_call;
using made = std::shared_ptr<const cuda::gemm_product>;

class lister {
  public:
    lister(const gpu_call& call, int sms) : call_(call), sms_(sms) {}

    std::vector<listed_plan> all;

    void add_wgmma() {
        if (!core::is_on_tensor_cores(call_.arithmetic, call_.problem.a_type)) return;
        plan::gemm_request of = cuda::wgmma::request_for(cuda::wgmma::as_summed(call_, false));
        of.sms = sms_;
        of.asked.stream_k = plan::choice::yes;  // wherever it is possible
        for (std::size_t row = 0; row < cuda::wgmma::kernel_table.size(); ++row)
            plan::each_candidate(of, cuda::wgmma::kernel_table[row], [&](const plan::candidate& c) {
                if (!is_worthless(c)) add_candidate(row, plan::plan_of(c, 0));
            });
    }
    // Small tiles, which read operands where they lie: packed where they don't, if `packs`.
    void add_small(bool packs) {
        namespace mma = cuda::mma;
        const core::problem& p = call_.problem;
        if (!mma::has_small_tiles(p.a_type, call_.arithmetic)) return;
        mma::packed_operands packed;
        if (packs ? !mma::reads(call_) : !mma::takes(call_)) {
            if (!packs) return;
            packed = {true, true};
        }
        if (!mma::reads(mma::packed(call_, packed))) return;
        const auto tiles = mma::tiles_for(p.a_type, call_.arithmetic);
        for (std::size_t row = 0; row < tiles.size(); ++row)
            add_parts(1, row, tiles[row], packed, mma::prepare);
    }
    void add_lean() {
        if (!cuda::mma::is_lean(call_)) return;
        for (std::size_t row = 0; row < cuda::mma::lean_tiles.size(); ++row)
            add(numbers(5, row, 1),
                [call = call_, row]() -> made { return cuda::mma::prepare_lean(call, row); });
    }
    void add_large() {
        namespace mma = cuda::mma;
        const mma::packed_operands packed = mma::packs_for_multistage(call_);
        const auto tiles = mma::multistage_tiles(call_.problem.a_type, call_.arithmetic);
        for (std::size_t row = 0; row < tiles.size(); ++row)
            add_parts(3, row, tiles[row], packed, mma::prepare_multistage);
    }
    void add_fma() {
        if (!cuda::fma::may_multiply(call_)) return;
        for (std::size_t row = 0; row < cuda::fma::kernel_table.size(); ++row) {
            const cuda::fma::kernel_desc& k = cuda::fma::kernel_table[row];
            if (k.type != call_.problem.a_type) continue;
            for (int cluster = 1; cluster <= k.most_cluster; cluster *= 2)
                for (const int groups : {1, 2, 3, 4, 5, 6, 8, 12, 16})
                    if (may_cut(k, cluster, groups)) add_cut(row, cluster, groups);
        }
    }

  private:
    // K in one part, and in all numbers of parts that a plan considers.
    void add_parts(int family, std::size_t row, const auto& tile,
                   const cuda::mma::packed_operands& packed, const auto& prepare) {
        const core::problem& p = call_.problem;
        const plan::batch_request of{.m = p.m,
                                     .n = p.n,
                                     .k = p.k,
                                     .batch = call_.products.count,
                                     .may_share_k = true,
                                     .sms = sms_};
        for (const int splits : plan::counts_of_parts) {
            if (!plan::may_share_k(of, {tile.block_m, tile.block_n, tile.ctas_per_sm}, splits,
                                   static_cast<int>(size_bytes(p.a_type))))
                continue;
            add(numbers(family, row, splits),
                [call = call_, packed, row, splits, prepare]() -> made {
                    return cuda::mma::prepare_packed(call, packed, [&](const gpu_call& read) {
                        return prepare(read, row, splits);
                    });
                });
        }
    }
    [[nodiscard]] std::int64_t ctas_of(int block_m, int block_n) const {
        return plan::ceil_div(call_.problem.m, block_m) * plan::ceil_div(call_.problem.n, block_n) *
               call_.products.count;
    }
    static std::string numbers(int family, std::size_t row, int parts, int cluster = 0) {
        return std::to_string(family) + "," + std::to_string(row) + ",0," + std::to_string(parts) +
               "," + std::to_string(cluster) + ",0,0";
    }
    void add(std::string text, std::function<made()> prepare) {
        all.push_back({std::move(text), std::move(prepare)});
    }
    // Nearly all of a tile sticks out, or parts of K are many more than the SMs: never the fastest.
    [[nodiscard]] bool is_worthless(const plan::candidate& c) const {
        const core::kernel_desc& k = *c.kernel;
        return (k.block_m > 64 && k.block_m >= 4 * std::max<std::int64_t>(16, c.m)) ||
               (k.block_n > 16 && k.block_n >= 4 * std::max<std::int64_t>(8, c.n)) ||
               (c.split_k > 1 && c.ctas() > std::int64_t{8} * sms_);
    }
    void add_candidate(std::size_t row, const plan::gemm_plan& one) {
        std::array<char, 80> text{};
        std::snprintf(text.data(), text.size(), "0,%zu,%d,%d,%d,%d,%d", row, one.swap_ab,
                      one.split_k, one.cluster_m, one.cluster_n, one.ctas_per_sm);
        add(text.data(), [call = call_, one]() -> made {
            return cuda::wgmma::prepare(call, cuda::wgmma::as_gpu_plan(one, 0, "as asked for"));
        });
    }
    [[nodiscard]] bool may_cut(const cuda::fma::kernel_desc& k, int cluster, int groups) const {
        const std::int64_t tiles = ctas_of(k.block_m(), k.block_n());
        const std::int64_t parts = std::int64_t{cluster} * groups;
        if (parts > plan::ceil_div(call_.problem.k, k.block_k())) return false;
        const std::int64_t left = tiles * groups * k.block_m() * k.block_n() *
                                  static_cast<std::int64_t>(size_bytes(k.type));
        if (groups > 1 && (tiles * cluster > 1024 || left > 64'000'000)) return false;
        return parts == 1 || tiles * parts <= std::int64_t{12} * sms_;
    }
    void add_cut(std::size_t row, int cluster, int groups) {
        add(numbers(2, row, groups, cluster), [call = call_, row, cluster, groups]() -> made {
            const cuda::fma::kernel_desc& k = cuda::fma::kernel_table[row];
            return cuda::fma::prepare(call, {.row = row,
                                             .block_m = k.block_m(),
                                             .block_n = k.block_n(),
                                             .split_k = cluster * groups,
                                             .cluster_k = cluster});
        });
    }

    const gpu_call& call_;
    int sms_;
};

}  // namespace

gpu_call call_of(const product& of, const core::operand_alignment& aligned) {
    return {.problem = of.one, .arithmetic = of.of->how, .aligned = aligned, .products = of.batch};
}

std::vector<listed_plan> plans_of(const gpu_call& call, int sms, bool before_hopper) {
    lister plans(call, sms);
    if (before_hopper) {
        plans.add_small(true);
        plans.add_lean();
        plans.add_large();
    } else {
        plans.add_wgmma();
        plans.add_small(false);
        plans.add_lean();
        plans.add_fma();
    }
    return std::move(plans.all);
}

}  // namespace carat::fit
