// The tile registers: made ready, and four of them with the sums of a micro-tile of C.
#pragma once

#include <immintrin.h>

#include "ladder/cpu/amx/amx.hpp"

namespace carat::ladder::cpu::CARAT_ISA {

inline constexpr std::int64_t step = amx_edge * amx_edge;  // elements of a sliver for one step of K

// K in whole steps.
inline std::int64_t whole(std::int64_t k) {
    return (k + amx_edge - 1) / amx_edge * amx_edge;
}

struct alignas(64) tile_configuration {
    std::uint8_t palette = 1, start_row = 0, reserved[14] = {};
    std::uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
    std::uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};

inline void configure() {
    static constexpr tile_configuration all_whole;
    _tile_loadconfig(&all_whole);
}
inline void release() {
    _tile_release();
}

// The intrinsics do not say which memory they touch, so the compiler is told: all of it.
inline void around_tiles() {
    asm volatile("" ::: "memory");
}

// tmm0 to tmm3, from 32 rows of 32 sums that are `row` elements apart.
inline void load_sums(const float* c, std::int64_t row) {
    around_tiles();
    _tile_loadd(0, c, row * 4);
    _tile_loadd(1, c + 16, row * 4);
    _tile_loadd(2, c + 16 * row, row * 4);
    _tile_loadd(3, c + 16 * row + 16, row * 4);
}
inline void zero_sums() {
    around_tiles();
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
}
inline void store_sums(float* c, std::int64_t row) {
    _tile_stored(0, c, row * 4);
    _tile_stored(1, c + 16, row * 4);
    _tile_stored(2, c + 16 * row, row * 4);
    _tile_stored(3, c + 16 * row + 16, row * 4);
    around_tiles();
}

}  // namespace carat::ladder::cpu::CARAT_ISA
