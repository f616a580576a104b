// In what a product may be computed that is not the arithmetic of its elements.
#pragma once

#include <cstdint>

namespace carat {

// What products of f32 are computed in on a GPU. three_tf32 and tf32 are less than f32 promises,
// but the first is as near to the exact product as sums in f32 are, for finite numbers of at least
// 2^-104 (of smaller ones bits of the second part underflow); docs/gpu.md.
//   f32         each product and sum rounded to f32
//   three_tf32  each number as the sum of two of 11 bits, of whose products three are added up
//   tf32        each number rounded to 11 bits
enum class f32_as : std::uint8_t { f32, three_tf32, tf32 };

// What products of f16 are summed in on a CPU.
//   f32_sums  f32, and rounded once
//   f16_sums  f16, of at most 32 products at a time, which are added up in f32: on processors with
//             AVX512-FP16, where that takes half to two thirds of the time from 512 on and less of
//             it below. Each product is rounded with its sum to 11 bits, so a result can be off by
//             32 2^-11 |A||B|, some 1.6 %; of random numbers some 2^-10 of a typical result. More
//             than 65504 is infinity in these sums, too.
enum class f16_as : std::uint8_t { f32_sums, f16_sums };

}  // namespace carat

// fp8 on a GPU is summed by the tensor cores in 14 bits, in blocks of 128 products that f32 adds
// up: C is within (K' + 3) 2^-13 + (K / 128 + 3) 2^-24 of |alpha||A||B|, with K' = min(K, 128) and
// each operand counted as at least 2^-6, to first order, and is rounded to its own type once more
// (docs/adr/0068).
