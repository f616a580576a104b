// The columns of a GLU: a tile of B has gates and values, in two places, and becomes half as many
// columns of C.
#pragma once

#include "cuda/families/wgmma/arguments.hpp"

namespace carat::cuda::wgmma {

template <class C, class ElementCompute>
[[nodiscard]] __device__ __forceinline__ bool is_glu(const arguments<ElementCompute>& p) {
    if constexpr (C::has_glu) return p.epilogue.fusion.is_glu;
    return false;
}
// How many columns of C a tile has.
template <class C, class ElementCompute>
[[nodiscard]] __device__ __forceinline__ int columns_of_c(const arguments<ElementCompute>& p) {
    return is_glu<C>(p) ? C::block_n / 2 : C::block_n;
}
// How many columns of B the product has.
template <class C, class ElementCompute>
[[nodiscard]] __device__ __forceinline__ int columns_of_b(const arguments<ElementCompute>& p) {
    return is_glu<C>(p) ? 2 * p.problem.n : p.problem.n;
}
// How many columns lie between a tile's gates and its values.
template <class C, class ElementCompute>
[[nodiscard]] __device__ __forceinline__ int glu_values_offset(const arguments<ElementCompute>& p) {
    return is_glu<C>(p) ? p.problem.n - C::block_n / 2 : 0;
}

}  // namespace carat::cuda::wgmma
