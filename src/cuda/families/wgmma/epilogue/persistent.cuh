// The epilogue of persistent kernels: which of its ways a tile of C takes.
#pragma once

#include "cuda/families/wgmma/epilogue/column_major.cuh"
#include "cuda/families/wgmma/epilogue/glu.cuh"
#include "cuda/families/wgmma/epilogue/tma.cuh"

namespace carat::cuda::wgmma {

template <class C, class To, class ElementCompute, class Sum, int Parts, int Count>
__device__ __forceinline__ void store_as(staging_tiles<C>& staging,
                                         const arguments<ElementCompute>& p,
                                         const prefetched_bias<C, ElementCompute>& ahead,
                                         const output_tile& out, const Sum (&acc)[Parts][Count]) {
    if constexpr (C::a_from_registers)
        if (p.c.path == store_path::columns_by_tma) return store_columns(staging, p, out, acc[0]);
    if constexpr (C::has_glu && std::is_same_v<ElementCompute, float>)
        if (p.epilogue.fusion.is_glu)
            return store_fused<C, To, true, true>(staging, p, ahead, out, acc);
    // The order matters: so ptxas finds enough registers for blockwise fp8 of 256 columns.
    if (p.c.path == store_path::fused_by_tma)
        store_fused<C, To, true, false>(staging, p, ahead, out, acc);
    else if (p.c.path == store_path::by_tma)
        store_scaled<C, To>(staging, p, out, acc);
    else
        store_fused<C, To, false, false>(staging, p, ahead, out, acc);
}

template <class C, int Parts, int Count>
__device__ __forceinline__ void run_epilogue(staging_tiles<C>& staging, const arguments<float>& p,
                                             const prefetched_bias<C, float>& ahead,
                                             const output_tile& out, float (&acc)[Parts][Count]) {
    if constexpr (C::has_glu)
        if (p.epilogue.fusion.is_glu) apply_glu<C>(p, ahead, out, acc);
    if constexpr (writes<C, __half>)
        if (p.c.type == output_type::f16) return store_as<C, __half>(staging, p, ahead, out, acc);
    if constexpr (writes<C, __nv_bfloat16>)
        if (p.c.type == output_type::bf16)
            return store_as<C, __nv_bfloat16>(staging, p, ahead, out, acc);
    store_as<C, float>(staging, p, ahead, out, acc);
}
template <class C, int Parts, int Count>
__device__ __forceinline__ void run_epilogue(staging_tiles<C>& staging,
                                             const arguments<std::uint32_t>& p,
                                             const prefetched_bias<C, std::uint32_t>& ahead,
                                             const output_tile& out,
                                             const std::int32_t (&acc)[Parts][Count]) {
    store_as<C, std::uint32_t>(staging, p, ahead, out, acc);
}

}  // namespace carat::cuda::wgmma
