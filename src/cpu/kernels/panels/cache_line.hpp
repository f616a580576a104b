// A cache line in registers: how the lines of a tile are loaded, stored and transposed, for the
// vector width this file is compiled for.
#pragma once

#include <cstddef>
#include <cstdint>

#include <carat/types.hpp>

#include "cpu/kernels/matrix_unit_kernel.hpp"

namespace carat::cpu_engine::CARAT_ISA {

// The 4 bytes of k of 16 lines that make one line of a tile of B, from rows of 16 elements.
template <class E>
struct group;

}  // namespace carat::cpu_engine::CARAT_ISA

#if defined(__AVX512F__)
#include "cpu/kernels/x86/panels/cache_line_512.hpp"
#elif defined(__AVX2__)
#include "cpu/kernels/x86/panels/cache_line_256.hpp"
#else
#include "cpu/kernels/arm/cache_line_neon.hpp"
#endif
