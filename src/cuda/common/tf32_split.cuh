// An f32 number as the sum of two that tensor cores read whole, as tf32: 11 bits each.
//
//     x = big + small + rest,  |small| <= 2^-11 |x|,  |rest| <= 2^-22 |x|
//
// What is not finite has no small part. Its products with the small parts of others that are 0
// are not numbers, so an infinity in A or B leaves a NaN where f32 may have an infinity.
#pragma once

#include <cstdint>

namespace carat::cuda {

struct tf32_split {
    float big;
    float small;
};

// Rounds to the nearest of 11 bits, or toward zero where that would be infinite.
__device__ __forceinline__ float rounded_to_tf32(float x) {
    constexpr std::uint32_t kept = 0xffffe000u;
    constexpr std::uint32_t infinity = 0x7f800000u;
    const std::uint32_t bits = __float_as_uint(x);
    const std::uint32_t nearest = (bits + 0x1000u) & kept;
    return __uint_as_float((nearest & infinity) == infinity ? bits & kept : nearest);
}

__device__ __forceinline__ tf32_split split_tf32(float x) {
    if (!(fabsf(x) <= 3.402823466e38f)) return {x + x, 0.0f};  // a NaN becomes a quiet one
    const float big = rounded_to_tf32(x);
    return {big, rounded_to_tf32(x - big)};
}

}  // namespace carat::cuda
