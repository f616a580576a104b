// What steps 16 to 18 offer to their rows, as plain data: the files in amx/ are compiled for tile
// registers.
#pragma once

#include "ladder/cpu/anatomy/product.hpp"

namespace carat::ladder::cpu {

// C = alpha A B + beta C; the 16 bits of a bf16 are the upper half of an f32.
struct bf16_product {
    std::int64_t m, n, k;
    float alpha, beta;
    strided<const std::uint16_t> a, b;
    strided<float> c;
};

inline constexpr std::int64_t amx_edge = 32;    // of a micro-tile of C, and elements of K in a step
inline constexpr std::int64_t amx_slab = 2048;  // of K in which steps 17 and 18 cut it

// Packed slivers are as deep as K, rounded up to whole steps; row or column i of an operand is in
// the sliver that begins at i times that depth.
struct amx_functions {
    void (*pack_a)(const bf16_product&, std::uint16_t* to);
    void (*pack_b)(const bf16_product&, std::uint16_t* to);
    // Step 16: C += alpha A B.
    void (*multiply_panel)(const bf16_product&, const std::uint16_t* packed_a,
                           const std::uint16_t* packed_b);
    // Steps 17 and 18: a block of C, with room for its sums.
    void (*multiply_block)(const bf16_product&, const std::uint16_t* packed_a,
                           const std::uint16_t* packed_b, float* sums);
    void (*multiply_block_streamed)(const bf16_product&, const std::uint16_t* packed_a,
                                    const std::uint16_t* packed_b, float* sums);
    void (*configure)();  // by each thread, before it multiplies
    void (*release)();    // and when it is done
};

// Null where this process may not use tile registers.
[[nodiscard]] const amx_functions* amx_in_use();

}  // namespace carat::ladder::cpu
