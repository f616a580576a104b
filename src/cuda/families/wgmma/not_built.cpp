// This file answers for the files of kernels that CARAT_GPU_TYPES leaves out: slices without a
// kernel. Their products are refused before one is looked for (cuda/common/built_types.hpp).
#include "cuda/families/wgmma/kernels.hpp"

namespace carat::cuda::wgmma {

#ifdef CARAT_WITHOUT_KERNELS_F16
template <>
std::span<const kernel> kernels_of<kernel_slice::f16>() {
    return {};
}
#endif
#ifdef CARAT_WITHOUT_KERNELS_BF16
template <>
std::span<const kernel> kernels_of<kernel_slice::bf16>() {
    return {};
}
#endif
#ifdef CARAT_WITHOUT_KERNELS_TF32
template <>
std::span<const kernel> kernels_of<kernel_slice::f32>() {
    return {};
}
#endif
#ifdef CARAT_WITHOUT_KERNELS_I8
template <>
std::span<const kernel> kernels_of<kernel_slice::i8>() {
    return {};
}
#endif
#ifdef CARAT_WITHOUT_KERNELS_FP8_FAST
template <>
std::span<const kernel> kernels_of<kernel_slice::fp8_fast>() {
    return {};
}
#endif
#ifdef CARAT_WITHOUT_KERNELS_FP8_PROMOTED
template <>
std::span<const kernel> kernels_of<kernel_slice::fp8_promoted>() {
    return {};
}
#endif
#ifdef CARAT_WITHOUT_KERNELS_FP8_BLOCKWISE
template <>
std::span<const kernel> kernels_of<kernel_slice::fp8_blockwise>() {
    return {};
}
#endif

}  // namespace carat::cuda::wgmma
