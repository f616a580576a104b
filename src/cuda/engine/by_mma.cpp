#include "cuda/engine/by_mma.hpp"

#include <carat/error.hpp>

#include "core/dtype_traits.hpp"
#include "cuda/common/device.hpp"
#include "cuda/engine/families.hpp"
#include "cuda/families/gemv/product.hpp"
#include "cuda/families/mma/choose.hpp"

namespace carat::cuda::engine {

namespace {

mma::products_of products_of(arithmetic how) {
    switch (how) {
        case arithmetic::native:
            return mma::products_of::own;
        case arithmetic::tf32:
            return mma::products_of::tf32;
        case arithmetic::three_tf32:
            return mma::products_of::three_tf32;
        case arithmetic::fast_fp8:
            return mma::products_of::fast_fp8;
        case arithmetic::fp8_blocks:
            return mma::products_of::fp8_blocks;
    }
    return {};
}

gemm_task task_of(const request& wanted) {
    return {wanted.problem, accumulation_for(wanted.how, wanted.problem.a_type), wanted.fusion,
            wanted.aligned, wanted.batch};
}

// K in one part is what a batch-invariant call asks for (task.cpp).
mma::asked_tile tile_of(const plan::gemm_overrides& asked) {
    return {asked.block_m, asked.block_n, asked.split_k, asked.split_k == 1};
}

}  // namespace

std::string reason_against_mma(const core::problem& p, arithmetic how,
                               const plan::gemm_overrides& asked) {
    if (asked.schedule || asked.stream_k == plan::choice::yes || asked.ctas_per_sm != 0)
        return "kernels of mma have no schedule, stream_k or ctas_per_sm to choose: leave those "
               "out";
    if (asked.block_m == 0 && asked.block_n == 0) return {};
    return mma::reason_against_tile(p, products_of(how), tile_of(asked));
}

std::unique_ptr<const gemm_product> prepare_by_mma(const request& wanted,
                                                   const plan::gemm_overrides& asked) {
    const core::problem& p = wanted.problem;
    const bool is_free = asked == plan::gemm_overrides{};
    if (is_free && wanted.how == arithmetic::native && wanted.fusion.changes_no_sum() &&
        gemv::takes(p, wanted.batch.count))
        return gemv::prepare(p, wanted.batch.count);
    auto made = mma::prepare_any(task_of(wanted), products_of(wanted.how), tile_of(asked));
    if (made == nullptr)
        throw error(error_code::unsupported,
                    "on this GPU no kernel of mma has room for products of " +
                        std::string(name(p.a_type)) + ": take another implementation");
    return made;
}

std::unique_ptr<const gemm_product> prepare_ragged_by_mma(const request& wanted,
                                                          const core::problem& likely,
                                                          bool along_k) {
    return mma::prepare_any_ragged(task_of(wanted), products_of(wanted.how), along_k, likely);
}

}  // namespace carat::cuda::engine
