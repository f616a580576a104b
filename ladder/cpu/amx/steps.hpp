// The steps on tile registers, for the table in level.cpp.
#pragma once

#include "ladder/cpu/amx/amx.hpp"

namespace carat::ladder::cpu::CARAT_ISA {

void multiply_panel(const bf16_product&, const std::uint16_t* packed_a,
                    const std::uint16_t* packed_b);
void multiply_block(const bf16_product&, const std::uint16_t* packed_a,
                    const std::uint16_t* packed_b, float* sums);
void multiply_block_streamed(const bf16_product&, const std::uint16_t* packed_a,
                             const std::uint16_t* packed_b, float* sums);

}  // namespace carat::ladder::cpu::CARAT_ISA
