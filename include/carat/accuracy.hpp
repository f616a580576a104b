// In what a product may be computed that is not the arithmetic of its elements.
#pragma once

#include <cstdint>

namespace carat {

// What products of f32 are computed in on a GPU. three_tf32 and tf32 are less than f32 promises,
// but the first is as near to the exact product as sums in f32 are, for finite numbers;
// docs/gpu.md.
//   f32         each product and sum rounded to f32
//   three_tf32  each number as the sum of two of 11 bits, of whose products three are added up
//   tf32        each number rounded to 11 bits
enum class f32_as : std::uint8_t { f32, three_tf32, tf32 };

}  // namespace carat
