// The types in which a product may be computed if they are not those of its elements.
#pragma once

#include <cstdint>

namespace carat {

// The precision of f32 products on a GPU. three_tf32 and tf32 are less than f32 promises, but the
// first is as close to the exact product as sums in f32, for finite numbers of at least 2^-104
// (below, bits of the second part underflow); see docs/gpu.md.
//   f32         each product and sum is rounded to f32
//   three_tf32  each number is the sum of two with 11 bits; three of their products are added
//   tf32        each number is rounded to 11 bits
enum class f32_as : std::uint8_t { f32, three_tf32, tf32 };

// The type in which f16 products are summed on a CPU.
//   f32_sums  f32, rounded once
//   f16_sums  f16 for at most 32 products at a time, which are added up in f32: on processors with
//             AVX512-FP16. It takes half to two thirds of the time from 512 on and less of it
//             below. Each product is rounded with its sum to 11 bits, so a result can be off by 32
//             2^-11 |A||B|, some 1.6 %, and for random numbers by some 2^-10 of a typical result.
//             Sums beyond 65504 become infinity.
enum class f16_as : std::uint8_t { f32_sums, f16_sums };

}  // namespace carat

// Tensor cores sum fp8 in 14 bits, in blocks of 128 products that f32 adds up. To first order C is
// within (K' + 3) 2^-13 + (K / 128 + 3) 2^-24 of |alpha||A||B|, with K' = min(K, 128) and each
// operand counted as at least 2^-6; then it is rounded to its own type (docs/adr/0068).
