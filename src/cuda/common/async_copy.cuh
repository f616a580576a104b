// cp.async: copies from global to shared memory that go past the registers and are waited for
// later, so that a block multiplies one tile while the next one arrives. Before compute capability
// 8.0 there is no such thing, and the copy happens at once.
#pragma once

namespace carat::cuda {

// Copies Bytes (4, 8 or 16, both addresses aligned to them), or writes zeros and reads nothing
// when not `inside`.
template <int Bytes>
__device__ inline void copy_async(void* shared, const void* global, bool inside) {
    static_assert(Bytes == 4 || Bytes == 8 || Bytes == 16);
#if __CUDA_ARCH__ >= 800
    const auto target = static_cast<unsigned>(__cvta_generic_to_shared(shared));
    const int source_bytes = inside ? Bytes : 0;
    if constexpr (Bytes == 16)  // .cg keeps it out of L1, where it would only displace others
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(target), "l"(global),
                     "r"(source_bytes)
                     : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(target), "l"(global),
                     "n"(Bytes), "r"(source_bytes)
                     : "memory");
#else
    struct alignas(Bytes) chunk {
        int words[Bytes / 4];
    };
    *static_cast<chunk*>(shared) = inside ? *static_cast<const chunk*>(global) : chunk{};
#endif
}

// Closes a group of copies.
__device__ inline void commit_copies() {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

// Waits until at most Newer of this thread's latest groups are still under way.
template <int Newer>
__device__ inline void wait_for_copies() {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(Newer) : "memory");
#endif
}

}  // namespace carat::cuda
