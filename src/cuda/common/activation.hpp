// What may be done to each number on its way to C.
#pragma once

#include <cstdint>

namespace carat::cuda {

/// gelu is the one with tanh: x / 2 (1 + tanh(0.79788456 (x + 0.044715 x^3))). What is not a number
/// stays so.
enum class activation : std::uint8_t { none, relu, gelu, silu };

}  // namespace carat::cuda
