// Neighbours of C in one piece of registers, and the types that C can have.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <type_traits>

namespace carat::cuda::wgmma {

template <class T>
struct alignas(2 * sizeof(T)) pair {
    T first;
    T second;
};

template <class T>
struct alignas(4 * sizeof(T)) four {
    T of[4];
};

template <class T>
inline constexpr bool is_16_bits = std::is_same_v<T, __half> || std::is_same_v<T, __nv_bfloat16>;

// C may be of the operands' 16-bit type, or bf16 for fp8 operands, if it isn't f32.
template <class C, class To>
inline constexpr bool writes = std::is_same_v<typename C::element, To> ||
                               (C::is_narrow && std::is_same_v<To, __nv_bfloat16>);

}  // namespace carat::cuda::wgmma
