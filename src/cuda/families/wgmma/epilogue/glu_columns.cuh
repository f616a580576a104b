// Where a GLU finds its columns: those of a tile of B lie in two places, gates and values, and
// become half as many of C.
#pragma once

#include "cuda/families/wgmma/arguments.hpp"

namespace carat::cuda::wgmma {

template <class C, class ElementCompute>
[[nodiscard]] __device__ __forceinline__ bool is_glu(const arguments<ElementCompute>& p) {
    if constexpr (C::has_glu) return p.epilogue.fusion.is_glu;
    return false;
}
// Of a tile.
template <class C, class ElementCompute>
[[nodiscard]] __device__ __forceinline__ int columns_of_c(const arguments<ElementCompute>& p) {
    return is_glu<C>(p) ? C::block_n / 2 : C::block_n;
}
// Of the product.
template <class C, class ElementCompute>
[[nodiscard]] __device__ __forceinline__ int columns_of_b(const arguments<ElementCompute>& p) {
    return is_glu<C>(p) ? 2 * p.problem.n : p.problem.n;
}
// How much further right than beside the gates the values begin.
template <class C, class ElementCompute>
[[nodiscard]] __device__ __forceinline__ int glu_values_offset(const arguments<ElementCompute>& p) {
    return is_glu<C>(p) ? p.problem.n - C::block_n / 2 : 0;
}

}  // namespace carat::cuda::wgmma
