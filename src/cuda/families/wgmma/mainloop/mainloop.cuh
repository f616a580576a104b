// The main loop that a kernel's configuration names.
#pragma once

#include "cuda/families/wgmma/mainloop/promoted.cuh"
#include "cuda/families/wgmma/mainloop/rs.cuh"
#include "cuda/families/wgmma/mainloop/ss.cuh"

namespace carat::cuda::wgmma {

template <class C, class Accumulators>
__device__ __forceinline__ void run_mainloop(Accumulators& acc, const pipeline<C>& pipe,
                                             pipeline_state& at, const k_loop& loop,
                                             const consumer_thread& own,
                                             const scaling_of<C>& scales) {
    if constexpr (C::a_from_registers)
        mainloop_rs<C>(acc, pipe, at, loop, own);
    else if constexpr (C::is_native)
        mainloop_ss<C>(acc, pipe, at, loop, own);
    else if constexpr (C::double_buffered)
        mainloop_double_buffered<C>(acc, pipe, at, loop, own);
    else
        mainloop_promoted<C>(acc, pipe, at, loop, own, scales);
}

}  // namespace carat::cuda::wgmma
