// Sixteen bytes of elements, and reads of shared memory by 32-bit addresses, which are moved on by
// additions: from pointers the compiler works them out anew at every stage, fifty instructions
// instead of a dozen.
#pragma once

#include <cstdint>

namespace carat::cuda::fma {

template <class T>
struct alignas(16) vector {
    static constexpr int size = 16 / static_cast<int>(sizeof(T));
    T of[size];
};

template <int Count>
__device__ __forceinline__ void read_shared(float* to, std::uint32_t address) {
    static_assert(Count == 2 || Count == 4);
    if constexpr (Count == 4)
        asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                     : "=f"(to[0]), "=f"(to[1]), "=f"(to[2]), "=f"(to[3])
                     : "r"(address));
    else
        asm volatile("ld.shared.v2.f32 {%0, %1}, [%2];" : "=f"(to[0]), "=f"(to[1]) : "r"(address));
}
__device__ __forceinline__ void read_shared(double& one, std::uint32_t address) {
    asm volatile("ld.shared.f64 %0, [%1];" : "=d"(one) : "r"(address));
}

}  // namespace carat::cuda::fma
