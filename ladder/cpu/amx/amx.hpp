// What step 16 offers to its row, as plain data: amx/16_amx.cpp is compiled for tile registers.
#pragma once

#include "ladder/cpu/anatomy/product.hpp"

namespace carat::ladder::cpu {

// C += alpha A B; the 16 bits of a bf16 are the upper half of an f32.
struct bf16_product {
    std::int64_t m, n, k;
    float alpha;
    strided<const std::uint16_t> a, b;
    strided<float> c;
};

inline constexpr std::int64_t amx_edge = 32;  // of a micro-tile of C, and elements of K in a step

struct amx_functions {
    void (*pack_a)(const bf16_product&, std::uint16_t* to);
    void (*pack_b)(const bf16_product&, std::uint16_t* to);
    void (*multiply_packed)(const bf16_product&, const std::uint16_t* packed_a,
                            const std::uint16_t* packed_b);
    void (*configure)();  // by each thread, before multiply_packed()
    void (*release)();    // and when it is done
};

// Null where this process may not use tile registers.
[[nodiscard]] const amx_functions* amx_in_use();

}  // namespace carat::ladder::cpu
