// Registers change hands between producer and consumer warpgroups (PTX ISA, "setmaxnreg"). Every
// warp of the warpgroup executes it; the kernel needs __launch_bounds__(n, 1), or ptxas ignores it
// (C7508). Only code built for sm_90a has it.
#pragma once

namespace carat::cuda::ptx {

template <int Count>
__device__ __forceinline__ void setmaxnreg_dec() {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Count));
#endif
}

template <int Count>
__device__ __forceinline__ void setmaxnreg_inc() {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Count));
#endif
}

}  // namespace carat::cuda::ptx
