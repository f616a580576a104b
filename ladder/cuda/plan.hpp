// What the host has of a step: a kernel and the tile of C that one block of it computes. Nothing
// here needs the host's headers, which take the compiler of a kernel three times as long as most
// kernels do.
#pragma once

#include <cstdint>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <type_traits>

#include "ladder/cuda/product.hpp"

namespace carat::ladder::cuda {

template <class In, class Out = In, class Sum = Out>
struct plan {
    void (*kernel)(product<In, Out, Sum>) = nullptr;
    int tile_m = 1;  // of C, of one block
    int tile_n = 1;
    int threads = 0;
    int shared_bytes = 0;  // beyond what the kernel declares
};

// Whether this build has the kernels for matrices of a type (CARAT_GPU_TYPES); i8's are those for
// integers.
template <class T>
inline constexpr bool is_built = true;
#ifdef CARAT_WITHOUT_F64
template <>
inline constexpr bool is_built<double> = false;
#endif
#ifdef CARAT_WITHOUT_F32
template <>
inline constexpr bool is_built<float> = false;
#endif
#ifdef CARAT_WITHOUT_F16
template <>
inline constexpr bool is_built<__half> = false;
#endif
#ifdef CARAT_WITHOUT_BF16
template <>
inline constexpr bool is_built<__nv_bfloat16> = false;
#endif
#ifdef CARAT_WITHOUT_I8
template <>
inline constexpr bool is_built<std::int8_t> = false;
template <>
inline constexpr bool is_built<std::uint32_t> = false;
#endif

}  // namespace carat::ladder::cuda
