// Kernels that follow each other on a stream and overlap (PTX ISA, "griddepcontrol"; the launch
// attribute is cudaLaunchAttributeProgrammaticStreamSerialization). A kernel launched so may begin
// once every block of the one before has let it or has ended; what it does before
// wait_for_predecessors() hides behind that kernel's end. Hopper and later.
#pragma once

namespace carat::cuda::ptx {

// Blocks of the next kernel may take what room is left.
__device__ __forceinline__ void let_dependents_begin() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

// Until the kernels before have ended and what they wrote is seen. Nothing in global memory may be
// read or written earlier; at once where the kernel was launched without the attribute.
__device__ __forceinline__ void wait_for_predecessors() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

}  // namespace carat::cuda::ptx
