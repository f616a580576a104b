// The vectors of the level being compiled: their width, and how many accumulators fit beside two
// operands in its registers. Latency x throughput is at most 4 x 2 to 4 x 4 for a fused operation
// on the cores known, so 12 chains suffice where there are 16 registers and 24 where there are 32.
#pragma once

namespace carat::machine::CARAT_ISA {

#if defined(__AVX512F__)
inline constexpr int vector_bytes = 64;
inline constexpr int chains = 24;
#elif defined(__AVX2__)
inline constexpr int vector_bytes = 32;
inline constexpr int chains = 12;
#elif defined(__ARM_FEATURE_SVE_BITS) && __ARM_FEATURE_SVE_BITS > 0
inline constexpr int vector_bytes = __ARM_FEATURE_SVE_BITS / 8;
inline constexpr int chains = 24;
#elif defined(__aarch64__)
inline constexpr int vector_bytes = 16;
inline constexpr int chains = 24;
#else
inline constexpr int vector_bytes = 16;
inline constexpr int chains = 12;
#endif

}  // namespace carat::machine::CARAT_ISA
