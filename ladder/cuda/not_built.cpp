// This file answers for steps 11 to 20 where CARAT_GPU_TYPES leaves bf16 out. Their products are
// refused before one is prepared.
#include "cuda/common/built_types.hpp"
#include "ladder/cuda/steps.hpp"

#ifdef CARAT_WITHOUT_BF16
namespace carat::ladder::cuda {

bf16_plan mma_step::choose(int) {
    carat::cuda::refuse_type("bf16");
}

bf16_plan swizzled_step::choose(int) {
    carat::cuda::refuse_type("bf16");
}

bf16_plan staged_step::choose(int) {
    carat::cuda::refuse_type("bf16");
}

bf16_plan tma_step::choose(int) {
    carat::cuda::refuse_type("bf16");
}

bf16_plan wgmma_step::choose(int) {
    carat::cuda::refuse_type("bf16");
}

bf16_plan specialised_step::choose(int) {
    carat::cuda::refuse_type("bf16");
}

bf16_plan multicast_step::choose(int) {
    carat::cuda::refuse_type("bf16");
}

bf16_plan persistent_step::choose(int) {
    carat::cuda::refuse_type("bf16");
}

bf16_plan deferred_store_step::choose(int) {
    carat::cuda::refuse_type("bf16");
}

bf16_plan stream_k_step::choose(int) {
    carat::cuda::refuse_type("bf16");
}

}  // namespace carat::ladder::cuda
#endif
