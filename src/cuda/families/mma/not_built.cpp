// This file answers for the files of kernels that CARAT_GPU_TYPES leaves out. Their products are
// refused before one is looked for (cuda/common/built_types.hpp).
#include "cuda/common/built_types.hpp"
#include "cuda/families/mma/kernels.hpp"
#include "cuda/families/mma/lean_kernels.hpp"
#include "cuda/families/mma/multistage_kernels.hpp"

namespace carat::cuda {

using mma::kernel;

#ifdef CARAT_WITHOUT_KERNELS_BF16
const kernel& mma::kernel_of_bf16(std::size_t, bool, bool) {
    refuse_type("bf16");
}
#endif

#ifdef CARAT_WITHOUT_KERNELS_F16
const kernel& mma::kernel_of_f16(std::size_t, bool, bool) {
    refuse_type("f16");
}
#endif

#ifdef CARAT_WITHOUT_KERNELS_F64
const kernel& mma::kernel_of_f64(std::size_t, bool, bool) {
    refuse_type("f64");
}
#endif

#ifdef CARAT_WITHOUT_KERNELS_F32
const kernel& mma::kernel_of_f32(std::size_t, bool, bool) {
    refuse_type("f32");
}
#endif

#ifdef CARAT_WITHOUT_KERNELS_TF32
const kernel& mma::kernel_of_tf32(std::size_t, bool, bool) {
    refuse_type("tf32");
}
#endif

#ifdef CARAT_WITHOUT_LEAN_BF16
const kernel& mma::lean_bf16(std::size_t, bool, bool) {
    refuse_type("bf16");
}
#endif

#ifdef CARAT_WITHOUT_LEAN_F16
const kernel& mma::lean_f16(std::size_t, bool, bool) {
    refuse_type("f16");
}
#endif

#ifdef CARAT_WITHOUT_MULTISTAGE_F16
const kernel& mma::multistage_f16(std::size_t, bool, bool) {
    refuse_type("f16");
}
#endif

#ifdef CARAT_WITHOUT_MULTISTAGE_BF16
const kernel& mma::multistage_bf16(std::size_t, bool, bool) {
    refuse_type("bf16");
}
#endif

#ifdef CARAT_WITHOUT_MULTISTAGE_F64
const kernel& mma::multistage_f64(std::size_t, bool, bool) {
    refuse_type("f64");
}
#endif

#ifdef CARAT_WITHOUT_MULTISTAGE_TF32
const kernel& mma::multistage_tf32(std::size_t, bool, bool) {
    refuse_type("tf32");
}
#endif

#ifdef CARAT_WITHOUT_MULTISTAGE_THREE_TF32
const kernel& mma::multistage_three_tf32(std::size_t, bool, bool) {
    refuse_type("tf32");
}
#endif

#ifdef CARAT_WITHOUT_MULTISTAGE_F32
const kernel& mma::multistage_f32(std::size_t) {
    refuse_type("f32");
}
#endif

#ifdef CARAT_WITHOUT_MULTISTAGE_I8
const kernel& mma::multistage_i8(std::size_t) {
    refuse_type("i8");
}
#endif

#ifdef CARAT_WITHOUT_MULTISTAGE_FP8
const kernel& mma::multistage_fp8_fast(std::size_t, bool) {
    refuse_type("fp8");
}

const kernel& mma::multistage_fp8_promoted(std::size_t, bool) {
    refuse_type("fp8");
}

const kernel& mma::multistage_fp8_blocks(std::size_t) {
    refuse_type("fp8");
}
#endif

}  // namespace carat::cuda
