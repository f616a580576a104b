// What a plan needs to know of the machine: the caches one core may fill.
#pragma once

#include <cstdint>

namespace carat::plan {

// The defaults are small caches that nearly every machine has: a safe guess where the kernel does
// not tell.
struct machine {
    std::int64_t l1_bytes = 32 << 10;   // data
    std::int64_t l2_bytes = 256 << 10;  // one core's share
    std::int64_t l3_bytes = 1 << 20;    // one core's share
};

}  // namespace carat::plan
