// Philox4x32-10: four random 32-bit words from a counter of four and a key of two. Salmon, Moraes,
// Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011. The vector version that
// fills matrices (isa/generate.cpp) takes its constants from here and is tested against this one.
#pragma once

#include <array>
#include <cstdint>

namespace carat::workload {

inline constexpr int philox_rounds = 10;
inline constexpr std::uint32_t philox_multiplier_0 = 0xd2511f53;
inline constexpr std::uint32_t philox_multiplier_1 = 0xcd9e8d57;
inline constexpr std::uint32_t philox_key_step_0 = 0x9e3779b9;  // golden ratio
inline constexpr std::uint32_t philox_key_step_1 = 0xbb67ae85;  // sqrt(3) - 1

using philox_block = std::array<std::uint32_t, 4>;

[[nodiscard]] constexpr philox_block philox(philox_block counter,
                                            std::array<std::uint32_t, 2> key) {
    for (int round = 0; round < philox_rounds; ++round) {
        const std::uint64_t p0 = std::uint64_t{philox_multiplier_0} * counter[0];
        const std::uint64_t p1 = std::uint64_t{philox_multiplier_1} * counter[2];
        counter = {static_cast<std::uint32_t>(p1 >> 32) ^ counter[1] ^ key[0],
                   static_cast<std::uint32_t>(p1),
                   static_cast<std::uint32_t>(p0 >> 32) ^ counter[3] ^ key[1],
                   static_cast<std::uint32_t>(p0)};
        key[0] += philox_key_step_0;
        key[1] += philox_key_step_1;
    }
    return counter;
}

}  // namespace carat::workload
