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
};

inline constexpr std::array all_isas = {isa::baseline, isa::avx2, isa::avx512, isa::amx};

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
    }
    return "?";
}

// The level whose vectors a level uses: tiles extend AVX-512 and replace none of it.
[[nodiscard]] constexpr isa vectors_of(isa level) {
    return level == isa::amx ? isa::avx512 : level;
}

// Whether the processor has everything the level amx needs, and the system saves tiles.
[[nodiscard]] bool has_amx();

// Instructions beyond the level avx512 that add products of 4 bytes (VNNI), or of 2 bf16.
[[nodiscard]] bool has_byte_dot_products();
[[nodiscard]] bool has_bf16_dot_products();

// The same for bytes beyond the level avx2 (AVX-VNNI).
[[nodiscard]] bool has_short_byte_dot_products();

// Multiply-adds of f16 beyond the level avx512 (AVX512-FP16).
[[nodiscard]] bool has_f16_arithmetic();

// Whether this process may use tile registers: the machine has them, and the system granted their 8
// KiB of state, which is requested once.
[[nodiscard]] bool tiles_permitted();

// The best level that this machine has and this process may use.
[[nodiscard]] isa best_isa();

// The level used for dispatch: the best one, or the one named by CARAT_FORCE_ISA (baseline, avx2,
// avx512, amx), read once. Throws carat::error if that is unknown or more than the machine has.
[[nodiscard]] isa isa_in_use();

}  // namespace carat::core
