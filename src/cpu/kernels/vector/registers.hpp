// vector<T>: the few instructions that a register tile needs, for the instruction set this file is
// compiled for; tile<T>: the registers that the tile takes. Each was measured, see README.md.
#pragma once

#include <cstdint>

namespace carat::cpu_engine::CARAT_ISA {

template <class T>
struct vector;

// The same for as many elements, if has_small_vectors is set and vector<T> has no fewer.
template <class T, int Lanes>
struct lanes_of;

// A tile is vectors x lanes rows by `columns` columns: vectors * columns sums, one vector for each
// column of A and one broadcast element of B, all in registers.
template <class T>
struct tile;

}  // namespace carat::cpu_engine::CARAT_ISA

#if defined(__AVX512F__)
#include "cpu/kernels/x86/registers_avx512.hpp"
#elif defined(__AVX2__)
#include "cpu/kernels/x86/registers_avx2.hpp"
#elif defined(__ARM_FEATURE_SVE_BITS) && __ARM_FEATURE_SVE_BITS > 0
#include "cpu/kernels/arm/registers_sve.hpp"
#elif defined(__aarch64__)
#include "cpu/kernels/arm/registers_neon.hpp"
#else
#include "cpu/kernels/vector/registers_baseline.hpp"
#endif
