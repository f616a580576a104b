// Sizes of the data caches that one core sees.
#pragma once

#include <cstdint>

namespace carat::ladder::cpu {

struct cache_sizes {
    std::int64_t l1_bytes;
    std::int64_t l2_bytes;
    std::int64_t l3_bytes;
};

// The sizes that Linux reports or, for an unreported level, what most machines have at least (32
// KiB, 256 KiB; without an L3, the L2 takes its place).
[[nodiscard]] const cache_sizes& caches();

}  // namespace carat::ladder::cpu
