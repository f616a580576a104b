// What a consumer thread of a persistent kernel knows from its first tile to its last.
#pragma once

#include "cuda/families/wgmma/cta_coordinate.cuh"
#include "cuda/families/wgmma/epilogue/persistent.cuh"
#include "cuda/families/wgmma/pipeline.cuh"

namespace carat::cuda::wgmma {

template <class C, class ElementCompute>
struct persistent_consumer {
    const pipeline<C>& pipe;
    const arguments<ElementCompute>& p;
    const cta_coordinate<C>& cta;
    int thread;  // of its warpgroup
    int warpgroup;
    staging_tiles<C> staging;

    __device__ __forceinline__ persistent_consumer(const pipeline<C>& of,
                                                   const tma_descriptors& maps,
                                                   const arguments<ElementCompute>& told,
                                                   const cta_coordinate<C>& at)
        : pipe(of),
          p(told),
          cta(at),
          thread(static_cast<int>(threadIdx.x) % 128),
          warpgroup(ptx::warpgroup()),
          staging(maps, of, warpgroup, thread) {}
};

}  // namespace carat::cuda::wgmma
