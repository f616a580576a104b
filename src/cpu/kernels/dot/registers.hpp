// The instructions for tiles of dot products, for the vector width this file is compiled for: what
// a register holds, and how many lines of sums leave registers for the operands. `groups` says how
// many groups of a line of A are loaded at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <carat/types.hpp>

namespace carat::cpu_engine::CARAT_ISA {

// The unit for elements A by B.
template <class A, class B>
struct unit;

}  // namespace carat::cpu_engine::CARAT_ISA

#if defined(__AVX512F__)
#include "cpu/kernels/x86/dot/registers_512.hpp"
#elif defined(__AVX2__)
#include "cpu/kernels/x86/dot/registers_256.hpp"
#else
#include "cpu/kernels/arm/dot_neon.hpp"
#endif
