// Programmatic dependent launch: kernels that follow each other on a stream and overlap (PTX ISA,
// "griddepcontrol"; the launch attribute is cudaLaunchAttributeProgrammaticStreamSerialization). A
// kernel launched so may begin once every CTA of the one before has let it or has ended; what it
// does before pdl_wait() hides behind that kernel's end. Hopper and later.
#pragma once

namespace carat::cuda::ptx {

// CTAs of the next kernel may take what room is left.
__device__ __forceinline__ void pdl_trigger() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

// Until the kernels before have ended and what they wrote is seen. Nothing in global memory may be
// read or written earlier; at once where the kernel was launched without the attribute.
__device__ __forceinline__ void pdl_wait() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

}  // namespace carat::cuda::ptx
