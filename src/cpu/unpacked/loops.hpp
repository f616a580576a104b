// Products of unpacked operands. Like all loops around micro-kernels these neither allocate nor
// throw; any other memory is a workspace, see scratch.hpp.
#pragma once

#include <cstdint>

#include "cpu/task.hpp"

namespace carat::cpu_engine {

// Computes tiles of C in turn from unpacked operands, on one thread. Rows of A that are not
// contiguous, or all rows if `packs_a`, are packed tile by tile; otherwise no workspace is needed.
// With an A beyond 64 KiB, nc columns meet all of k before the next ones. Sums over k are cut every
// kc.
template <class T>
void multiply_unpacked(const task<T>& t, bool packs_a, std::int64_t nc, std::int64_t kc,
                       T* workspace);

// Whether C is in L1, or k ends before C has come from L2.
inline constexpr std::int64_t near_c_bytes = 32 << 10;
inline constexpr std::int64_t few_depths = 24;

// Whether C is prefetched for tiles below each other.
[[nodiscard]] constexpr bool fetches_tall_c(std::int64_t c_bytes, std::int64_t k) {
    return c_bytes > near_c_bytes && k <= few_depths;
}

// Elements of T of workspace if A is packed.
[[nodiscard]] std::int64_t unpacked_elements(int mr, std::int64_t k, std::int64_t kc);

}  // namespace carat::cpu_engine
