// The arithmetics of large tiles: 64 bytes of K a stage. Where lines lie along K they have no
// padding (tile_in_shared::place); across K they are 16 bytes longer, so that the eight that
// ldmatrix reads together lie in different banks.
#pragma once

#include <cuda_bf16.h>

#include "cuda/families/mma/fragments_f64.cuh"
#include "cuda/families/mma/multistage_parts.cuh"

namespace carat::cuda::mma {

// Copies take the registers on 7.5 that reading ahead would need.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
inline constexpr bool has_async_copies = false;
#else
inline constexpr bool has_async_copies = true;
#endif

template <class Element, lies A, lies B>
struct half_multistage {
    using element = Element;
    using sum = float;
    using narrow = Element;
    using instruction = ptx::mma_m16n8<Element>;
    static constexpr int least_capability = instruction::least_capability;
    template <class C>
    using reader = step_reader<C>;
    template <class C>
    using part = direct_part<C>;
    static constexpr int step_k = 16;
    static constexpr bool rounds = false;
    static constexpr bool reads_ahead = has_async_copies;
    static constexpr lies a = A;
    static constexpr lies b = B;
    static constexpr int block_k = 32;
    static constexpr int padding_along = 0;
    static constexpr int padding_across = 8;
};
template <lies A, lies B>
using f16_multistage = half_multistage<__half, A, B>;
template <lies A, lies B>
using bf16_multistage = half_multistage<__nv_bfloat16, A, B>;

// A warp reads eight lines at four k without a conflict where lines lie across K, since each k is 8
// banks after the one before.
template <lies A, lies B>
struct tf32_multistage {
    using element = float;
    using sum = float;
    using narrow = float;
    using instruction = ptx::mma_m16n8<ptx::tf32>;
    static constexpr int least_capability = instruction::least_capability;
    template <class C>
    using reader = step_reader<C>;
    template <class C>
    using part = direct_part<C>;
    static constexpr int step_k = 8;
    static constexpr bool rounds = true;
    static constexpr bool reads_ahead = true;
    static constexpr lies a = A;
    static constexpr lies b = B;
    static constexpr int block_k = 16;
    static constexpr int padding_along = 0;
    static constexpr int padding_across = 8;
};

template <lies A, lies B>
struct three_tf32_multistage : tf32_multistage<A, B> {
    template <class C>
    using part = split_part<C>;
};

// 128 bytes of K a stage. 16 lanes read four lines of four k, whose runs lie 8 banks apart.
// For 10.x the compiler finds no registers for reading ahead.
template <lies A, lies B>
struct f64_multistage {
    using element = double;
    using sum = double;
    using narrow = double;
    using instruction = mma_f64;
    static constexpr int least_capability = instruction::least_capability;
    template <class C>
    using reader = f64_reader<C>;
    template <class C>
    using part = direct_part<C>;
    static constexpr int step_k = 8;
    static constexpr bool rounds = false;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 1000 && __CUDA_ARCH__ < 1200
    static constexpr bool reads_ahead = false;
#else
    static constexpr bool reads_ahead = true;
#endif
    static constexpr lies a = A;
    static constexpr lies b = B;
    static constexpr int block_k = 16;
    static constexpr int padding_along = 4;
    static constexpr int padding_across = 4;
};

// Bytes lie along K: there is no ldmatrix that transposes them.
template <class Sum, class Narrow, class Instruction>
struct byte_multistage {
    using element = std::uint8_t;
    using sum = Sum;
    using narrow = Narrow;
    using instruction = Instruction;
    static constexpr int least_capability = Instruction::least_capability;
    template <class C>
    using reader = step_reader<C>;
    template <class C>
    using part = direct_part<C>;
    static constexpr int step_k = 32;
    static constexpr bool rounds = false;
    static constexpr bool reads_ahead = has_async_copies;
    static constexpr lies a = lies::along_k;
    static constexpr lies b = lies::along_k;
    static constexpr int block_k = 64;
    static constexpr int padding_along = 0;
    static constexpr int padding_across = 16;
};
using i8_multistage = byte_multistage<std::int32_t, std::int32_t, ptx::mma_m16n8<std::int8_t>>;

// Compute capability 9.0 has no such instruction and converts operands to f16, in registers that
// reading ahead would need.
template <class Instruction>
struct fp8_fast : byte_multistage<float, __nv_bfloat16, Instruction> {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ == 900
    static constexpr bool reads_ahead = false;
#endif
};

// The compiler finds no registers for reading ahead beside two sets of sums on 10.x.
template <class Instruction>
struct fp8_promoted : fp8_fast<Instruction> {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 1000 && __CUDA_ARCH__ < 1200
    static constexpr bool reads_ahead = false;
#endif
    template <class C>
    using part = promoted_part<C>;
    template <class C>
    using scaling = no_scaling<C>;
};

template <class Instruction>
struct fp8_blocks : fp8_promoted<Instruction> {
    template <class C>
    using scaling = block_scaling<C>;
};

}  // namespace carat::cuda::mma
