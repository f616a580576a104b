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
__device__ __forceinline__ void read_shared(float& one, std::uint32_t address) {
    asm volatile("ld.shared.f32 %0, [%1];" : "=f"(one) : "r"(address));
}
__device__ __forceinline__ void read_shared(double& one, std::uint32_t address) {
    asm volatile("ld.shared.f64 %0, [%1];" : "=d"(one) : "r"(address));
}

__device__ __forceinline__ void write_shared(std::uint32_t address, float one) {
    asm volatile("st.shared.f32 [%0], %1;" ::"r"(address), "f"(one) : "memory");
}
__device__ __forceinline__ void write_shared(std::uint32_t address, double one) {
    asm volatile("st.shared.f64 [%0], %1;" ::"r"(address), "d"(one) : "memory");
}
__device__ __forceinline__ void write_shared(std::uint32_t address, double one, double next) {
    asm volatile("st.shared.v2.f64 [%0], {%1, %2};" ::"r"(address), "d"(one), "d"(next) : "memory");
}
__device__ __forceinline__ void write_shared(std::uint32_t address, const float (&four)[4]) {
    asm volatile("st.shared.v4.f32 [%0], {%1, %2, %3, %4};" ::"r"(address), "f"(four[0]),
                 "f"(four[1]), "f"(four[2]), "f"(four[3])
                 : "memory");
}

}  // namespace carat::cuda::fma
