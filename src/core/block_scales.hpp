// Scales of fp8 operands, f32 in device memory: one for each row of A and each 128 of K, and one
// for each 128 of K by 128 columns of B. Indices have 32 bits.
//
//     A(i, k) = a[i a_across + k / 128 a_along] A'(i, k)
//     B(k, j) = b[j / 128 b_across + k / 128 b_along] B'(k, j)
#pragma once

#include <cstdint>

namespace carat::core {

struct block_scales {
    const float* a = nullptr;
    std::int32_t a_across = 0;
    std::int32_t a_along = 0;
    const float* b = nullptr;
    std::int32_t b_across = 0;
    std::int32_t b_along = 0;
};

}  // namespace carat::core
