#include "cuda/engine/by_mma.hpp"

#include <carat/error.hpp>

#include "cuda/families/gemv/product.hpp"
#include "cuda/families/mma/choose.hpp"

namespace carat::gpu_engine {

namespace mma = cuda::mma;

namespace {

// K in one part is what a batch-invariant call asks for (settings_for()).
mma::asked_tile tile_of(const plan::gemm_overrides& asked) {
    return {asked.block_m, asked.block_n, asked.split_k, asked.split_k == 1};
}

}  // namespace

std::string reason_against_mma(const core::gpu_call& call, const plan::gemm_overrides& asked) {
    if (asked.schedule || asked.stream_k == plan::choice::yes || asked.ctas_per_sm != 0)
        return "kernels of mma have no schedule, stream_k or ctas_per_sm to choose: leave those "
               "out";
    if (asked.block_m == 0 && asked.block_n == 0) return {};
    return mma::reason_against_tile(call, tile_of(asked));
}

std::unique_ptr<const cuda::gemm_product> prepare_by_mma(const core::gpu_call& call,
                                                         const plan::gemm_overrides& asked) {
    const bool is_free = asked == plan::gemm_overrides{};
    if (is_free && cuda::gemv::takes(call)) return cuda::gemv::prepare(call);
    auto made = mma::prepare_any(call, tile_of(asked));
    if (made == nullptr)
        throw error(error_code::unsupported,
                    "on this GPU no kernel of mma has room for products of " +
                        std::string(name(call.problem.a_type)) + ": take another implementation");
    return made;
}

}  // namespace carat::gpu_engine
