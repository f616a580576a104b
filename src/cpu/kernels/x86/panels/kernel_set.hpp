// What sets of matrix-unit kernels share: packing, stores, and which kernels there are.
#pragma once

#include "cpu/kernels/x86/panels/pack.hpp"
#include "cpu/kernels/x86/panels/store.hpp"

namespace carat::cpu_engine::CARAT_ISA {

// Bytes are packed alike, signed or not, and so are 16 bits of any kind.
template <class E>
constexpr matrix_unit_kernel make_matrix_unit_kernel(std::string_view name,
                                                     void (*multiply)(const matrix_unit_call&)) {
    return {.name = name,
            .element_bytes = sizeof(E),
            .pack_a = &pack_micropanels<E, false>,
            .pack_b = &pack_micropanels<E, true>,
            .multiply = multiply};
}

}  // namespace carat::cpu_engine::CARAT_ISA
