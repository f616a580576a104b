// cp.async of what may end within it: the first bytes of so many, and zeros behind them. Before
// compute capability 8.0 the copy goes through registers; reads that may be kept in a cache let the
// compiler start several before it stores the first.
#pragma once

#include <cstdint>
#include <type_traits>

namespace carat::cuda {

// Bytes are 4, 8 or 16, both addresses aligned to them; of these `there` are read, none if 0.
template <int Bytes>
__device__ inline void copy_part_async(void* shared, const void* global, int there) {
    static_assert(Bytes == 4 || Bytes == 8 || Bytes == 16);
#if __CUDA_ARCH__ >= 800
    const auto target = static_cast<unsigned>(__cvta_generic_to_shared(shared));
    if constexpr (Bytes == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(target), "l"(global),
                     "r"(there)
                     : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(target), "l"(global),
                     "n"(Bytes), "r"(there)
                     : "memory");
#elif defined(__CUDA_ARCH__)
    using whole = std::conditional_t<Bytes == 16, uint4,
                                     std::conditional_t<Bytes == 8, uint2, std::uint32_t> >;
    if (there == Bytes) {
        *static_cast<whole*>(shared) = __ldg(static_cast<const whole*>(global));
        return;
    }
    *static_cast<whole*>(shared) = {};
#pragma unroll 1
    for (int i = 0; i < there; ++i)
        static_cast<std::uint8_t*>(shared)[i] = __ldg(static_cast<const std::uint8_t*>(global) + i);
#else
    (void)shared, (void)global, (void)there;
#endif
}

}  // namespace carat::cuda
