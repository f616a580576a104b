// mbarrier and cp.async: copies past the registers that end at a barrier (PTX ISA,
// "cp.async.mbarrier.arrive").
#pragma once

#include "cuda/ptx/barrier.cuh"

namespace carat::cuda::ptx {

// An arrival when all that this thread has started to copy is there: one of those that the barrier
// was made for.
__device__ __forceinline__ void arrive_when_copied(barrier& b) {
#if __CUDA_ARCH__ >= 900
    asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(shared_address(&b))
                 : "memory");
#else
    (void)b;
#endif
}

}  // namespace carat::cuda::ptx
