// What sets of matrix-unit kernels share: packing, stores, and the list of kernels.
#pragma once

#include "cpu/kernels/panels/pack.hpp"
#include "cpu/kernels/panels/store.hpp"

namespace carat::cpu_engine::CARAT_ISA {

// Signed and unsigned bytes are packed alike, and so are all 16-bit types.
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
