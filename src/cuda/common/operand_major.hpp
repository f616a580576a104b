// How operands lie, as kernels of every architecture know it.
#pragma once

#include <cstdint>

namespace carat::cuda {

/// Along which of its dimensions an operand is contiguous: K, or M of A and N of B.
enum class operand_major : std::uint8_t { k, mn };

}  // namespace carat::cuda
