// A line of cache in registers: how a tile's lines are loaded, stored and turned, for the width of
// vectors this file is being compiled for.
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
#else
#include "cpu/kernels/x86/panels/cache_line_256.hpp"
#endif
