// Products from operands where they lie. Like all loops around micro-kernels these neither allocate
// nor throw; what they need beside the operands is a workspace, see scratch.hpp.
#pragma once

#include <cstdint>

#include "cpu/task.hpp"

namespace carat::cpu_engine {

// Tiles of C one after the other, from operands where they lie; one thread. Rows of A that aren't
// contiguous, or all of them where `packs_a`, are packed by the tile; otherwise no workspace is
// needed, and of an A beyond 64 KiB nc columns meet all of k before the next ones do. Sums over k
// are cut every kc.
template <class T>
void multiply_unpacked(const task<T>& t, bool packs_a, std::int64_t nc, std::int64_t kc,
                       T* workspace);

// A C in L1, and depths that end before C has come from L2.
inline constexpr std::int64_t near_c_bytes = 32 << 10;
inline constexpr std::int64_t few_depths = 24;

// Whether tiles one under the other have their C fetched.
[[nodiscard]] constexpr bool fetches_tall_c(std::int64_t c_bytes, std::int64_t k) {
    return c_bytes > near_c_bytes && k <= few_depths;
}

// Elements of T of workspace when A is packed.
[[nodiscard]] std::int64_t unpacked_elements(int mr, std::int64_t k, std::int64_t kc);

}  // namespace carat::cpu_engine
