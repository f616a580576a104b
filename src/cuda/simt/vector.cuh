// Sixteen bytes of elements, and reads of shared memory by its own addresses, which are moved on
// by additions: from pointers the compiler works them out anew at every stage, fifty instructions
// instead of a dozen.
#pragma once

#include <cstdint>

namespace carat::cuda::simt {

template <class T>
struct alignas(16) vector {
    static constexpr int size = 16 / static_cast<int>(sizeof(T));
    T of[size];
};

__device__ __forceinline__ void read_shared(float* four, std::uint32_t address) {
    asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(four[0]), "=f"(four[1]), "=f"(four[2]), "=f"(four[3])
                 : "r"(address));
}
__device__ __forceinline__ void read_shared(double& one, std::uint32_t address) {
    asm volatile("ld.shared.f64 %0, [%1];" : "=d"(one) : "r"(address));
}

}  // namespace carat::cuda::simt
