#include "cuda/common/handles.hpp"
#include "fault.hpp"

namespace carat::faults {

namespace {

__global__ void write_kernel(int* where) {
    *where = 1;
}

// A minute at most, whatever becomes of the process.
__global__ void endless_kernel() {
    unsigned long long began = 0, now = 0;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(began));
    do asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    while (now - began < 60'000'000'000ull);
}

}  // namespace

void start_illegal_write() {
    write_kernel<<<1, 1, 0, cuda::stream_in_use()>>>(reinterpret_cast<int*>(8));
}

void start_endless_kernel() {
    endless_kernel<<<1, 1, 0, cuda::stream_in_use()>>>();
}

}  // namespace carat::faults
