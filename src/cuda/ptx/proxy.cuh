// Ordering between ordinary writes to memory and the units that read it by another way, the
// "asynchronous proxy": wgmma and the bulk copies (PTX ISA, "Async proxy"). Hopper and later.
#pragma once

namespace carat::cuda::ptx {

// Each thread that wrote shared memory calls it before the barrier that lets a wgmma or a bulk copy
// read it.
__device__ __forceinline__ void fence_proxy_async_shared() {
#if __CUDA_ARCH__ >= 900
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
}

}  // namespace carat::cuda::ptx
