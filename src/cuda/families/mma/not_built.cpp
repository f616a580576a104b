// This file answers for the files of kernels that CARAT_GPU_TYPES leaves out. Their products are
// refused before before one is looked for (cuda/common/built_types.hpp).
#include "cuda/common/built_types.hpp"
#include "cuda/families/mma/kernels.hpp"
#include "cuda/families/mma/multistage_kernels.hpp"

namespace carat::cuda::mma {

#ifdef CARAT_WITHOUT_KERNELS_BF16
const kernel& kernel_of_bf16(std::size_t) {
    cuda::refuse_type("bf16");
}
#endif

#ifdef CARAT_WITHOUT_KERNELS_F16
const kernel& kernel_of_f16(std::size_t) {
    cuda::refuse_type("f16");
}
#endif

#ifdef CARAT_WITHOUT_KERNELS_F64
const kernel& kernel_of_f64(std::size_t, bool, bool) {
    cuda::refuse_type("f64");
}
#endif

#ifdef CARAT_WITHOUT_KERNELS_F32
const kernel& kernel_of_f32(std::size_t, bool, bool) {
    cuda::refuse_type("f32");
}
#endif

#ifdef CARAT_WITHOUT_KERNELS_TF32
const kernel& kernel_of_tf32(std::size_t, bool, bool) {
    cuda::refuse_type("tf32");
}
#endif

#ifdef CARAT_WITHOUT_MULTISTAGE_F16
const kernel& multistage_f16(std::size_t, bool, bool) {
    cuda::refuse_type("f16");
}
#endif

#ifdef CARAT_WITHOUT_MULTISTAGE_BF16
const kernel& multistage_bf16(std::size_t, bool, bool) {
    cuda::refuse_type("bf16");
}
#endif

#ifdef CARAT_WITHOUT_MULTISTAGE_F64
const kernel& multistage_f64(std::size_t, bool, bool) {
    cuda::refuse_type("f64");
}
#endif

#ifdef CARAT_WITHOUT_MULTISTAGE_TF32
const kernel& multistage_tf32(std::size_t, bool, bool) {
    cuda::refuse_type("tf32");
}
#endif

#ifdef CARAT_WITHOUT_MULTISTAGE_THREE_TF32
const kernel& multistage_three_tf32(std::size_t, bool, bool) {
    cuda::refuse_type("tf32");
}
#endif

#ifdef CARAT_WITHOUT_MULTISTAGE_F32
const kernel& multistage_f32(std::size_t) {
    cuda::refuse_type("f32");
}
#endif

#ifdef CARAT_WITHOUT_MULTISTAGE_I8
const kernel& multistage_i8(std::size_t, bool, bool) {
    cuda::refuse_type("i8");
}
#endif

#ifdef CARAT_WITHOUT_MULTISTAGE_FP8
const kernel& multistage_fp8_fast(std::size_t, bool) {
    cuda::refuse_type("fp8");
}

const kernel& multistage_fp8_promoted(std::size_t, bool) {
    cuda::refuse_type("fp8");
}

const kernel& multistage_fp8_blocks(std::size_t) {
    cuda::refuse_type("fp8");
}
#endif

}  // namespace carat::cuda::mma
