// What sets of tile kernels share: packing, stores, and which kernels there are.
#pragma once

#include "cpu/kernels/tiles/pack.hpp"
#include "cpu/kernels/tiles/store.hpp"

namespace carat::cpu_engine::CARAT_ISA {

// Bytes are packed alike, signed or not, and so are 16 bits of any kind.
template <class E>
constexpr tile_kernel make_tile_kernel(std::string_view name, void (*multiply)(const tile_block&)) {
    return {.name = name,
            .element_bytes = sizeof(E),
            .pack_a = &pack_tiles<E, false>,
            .pack_b = &pack_tiles<E, true>,
            .multiply = multiply};
}

}  // namespace carat::cpu_engine::CARAT_ISA
