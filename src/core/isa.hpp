// Instruction-set levels of the CPU, found from feature bits at run time (brand and model lie in
// virtual machines). Code for a level is compiled in files of its own, see cmake/carat.cmake.
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

// The level whose vectors a level uses: tiles come on top of AVX-512 and replace none of it.
[[nodiscard]] constexpr isa vectors_of(isa level) {
    return level == isa::amx ? isa::avx512 : level;
}

// Whether the processor has what the level amx takes, and the system saves tiles.
[[nodiscard]] bool has_amx();

// Instructions on top of the level avx512 that add products of 4 bytes (VNNI), or of 2 bf16.
[[nodiscard]] bool has_byte_dot_products();
[[nodiscard]] bool has_bf16_dot_products();

// The same of bytes on top of the level avx2 (AVX-VNNI).
[[nodiscard]] bool has_short_byte_dot_products();

// Multiply-adds of f16, on top of the level avx512 (AVX512-FP16).
[[nodiscard]] bool has_f16_arithmetic();

// Whether this process may use tile registers: the machine has them, and the system granted their
// 8 KiB of state, for which it is asked once.
[[nodiscard]] bool tiles_permitted();

// The best level this machine has and this process may use.
[[nodiscard]] isa best_isa();

// The level dispatch uses: the best one, or the one CARAT_FORCE_ISA names (baseline, avx2, avx512,
// amx), read once. Throws carat::error when that is unknown or more than the machine has.
[[nodiscard]] isa isa_in_use();

}  // namespace carat::core
