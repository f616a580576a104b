// Named barriers of a CTA (PTX ISA, "bar"): sixteen, of which __syncthreads() takes number 0.
#pragma once

namespace carat::cuda::ptx {

// Waits for so many threads, this one among them.
template <int Threads>
__device__ __forceinline__ void sync_at(int barrier) {
    asm volatile("bar.sync %0, %1;" ::"r"(barrier), "n"(Threads) : "memory");
}

// The same where the number is known: no register holds it.
template <int Threads, int Barrier>
__device__ __forceinline__ void sync_at() {
    asm volatile("bar.sync %0, %1;" ::"n"(Barrier), "n"(Threads) : "memory");
}

// Counts this thread among them and goes on.
template <int Threads>
__device__ __forceinline__ void arrive_at(int barrier) {
    asm volatile("bar.arrive %0, %1;" ::"r"(barrier), "n"(Threads) : "memory");
}

}  // namespace carat::cuda::ptx
