// Instruction-set levels of the CPU, from feature bits read at run time (virtual machines report
// wrong brands and models). Each level's code is compiled in its own files, see cmake/carat.cmake.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace carat::core {

enum class isa : std::uint8_t {
    baseline,  // what every machine of the architecture has
    avx2,      // AVX2 and FMA
    avx512,    // AVX-512 F, BW, DQ, VL
    amx,       // the above, AVX-512 VBMI, and tiles of bf16 and 8-bit integers
    dotprod,   // Arm from here on: NEON, and dot products of 4 bytes
    i8mm,      // the above, and products of 2 x 8 by 8 x 2 bytes
    sve256,    // SVE whose vectors have 256 bits
    sve512,
};

// Those of every architecture. On one machine those that it has, lowest first, keep this order.
inline constexpr std::array all_isas = {isa::baseline, isa::avx2, isa::avx512, isa::amx,
                                        isa::dotprod,  isa::i8mm, isa::sve256, isa::sve512};

[[nodiscard]] constexpr std::string_view name(isa level) {
    switch (level) {
        case isa::baseline:
            return "baseline";
        case isa::avx2:
            return "avx2";
        case isa::avx512:
            return "avx512";
        case isa::amx:
            return "amx";
        case isa::dotprod:
            return "dotprod";
        case isa::i8mm:
            return "i8mm";
        case isa::sve256:
            return "sve256";
        case isa::sve512:
            return "sve512";
    }
    return "?";
}

// The level whose vectors a level uses: tiles extend AVX-512 and replace none of it, and what Arm
// has for bytes extends NEON, its baseline.
[[nodiscard]] constexpr isa vectors_of(isa level) {
    if (level == isa::dotprod || level == isa::i8mm) return isa::baseline;
    return level == isa::amx ? isa::avx512 : level;
}

// Whether the processor has everything the level amx needs, and the system saves tiles.
[[nodiscard]] bool has_amx();

// Instructions beyond the level avx512 that add products of 4 bytes (VNNI), or of 2 bf16.
[[nodiscard]] bool has_byte_dot_products();
[[nodiscard]] bool has_bf16_dot_products();

// Products of 2 x 4 by 4 x 2 bf16 on Arm (BFMMLA), beyond the level i8mm.
[[nodiscard]] bool has_bf16_matrix_products();

// The same for bytes beyond the level avx2 (AVX-VNNI).
[[nodiscard]] bool has_short_byte_dot_products();

// Multiply-adds of f16 beyond the level avx512 (AVX512-FP16), or beyond dotprod (FEAT_FP16).
[[nodiscard]] bool has_f16_arithmetic();

// Whether this process may use tile registers: the machine has them, and the system granted their 8
// KiB of state, which is requested once.
[[nodiscard]] bool tiles_permitted();

// Whether this machine has the level and this process may use it.
[[nodiscard]] bool has(isa level);

// The last of the levels that it has.
[[nodiscard]] isa best_isa();

// The level used for dispatch: the best one, or the one named by CARAT_FORCE_ISA, read once. Throws
// carat::error if that is unknown or not there.
[[nodiscard]] isa isa_in_use();

}  // namespace carat::core
