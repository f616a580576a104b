#include "cuda/sm90/epilogue/source_prefetch.cuh"

namespace carat::cuda::sm90 {

// Beside scales of blocks there are no registers for it: tiles of 128 x 64 spilled.
template <class C, class ElementCompute>
    requires(C::accumulate == accumulation::blockwise)
__device__ __forceinline__ void prefetch_source(const arguments<ElementCompute>&,
                                                const single_tile&) {}

}  // namespace carat::cuda::sm90

#include "cuda/sm90/instances.cuh"

namespace carat::cuda::sm90 {

template <>
std::span<const kernel> kernels_of<kernel_slice::fp8_blockwise>() {
    return instances<kernel_slice::fp8_blockwise>();
}

}  // namespace carat::cuda::sm90
